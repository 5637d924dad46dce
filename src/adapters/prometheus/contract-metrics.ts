import { Gauge, type Registry } from 'prom-client'

type Count = () => Promise<number | undefined>

/** What waits for the back office. */
export interface ContractCounts {
  unacknowledged: Count
  /** Absent where supply is presumed. */
  unreported?: Count
}

/** Registers what waits for the back office. Leaves a value out if the database could not provide it. */
export function registerContractMetrics(registry: Registry, { unacknowledged, unreported }: ContractCounts): void {
  registerCount(registry, {
    name: 'housebill_contracts_unacknowledged',
    help: 'Contracts that are or were in force and have had a version for a day that the back office has not acknowledged.',
    read: unacknowledged,
  })
  if (unreported === undefined) return
  registerCount(registry, {
    name: 'housebill_services_unreported',
    help: 'Services of contracts in force whose first day has passed without any report about their supply.',
    read: unreported,
  })
}

function registerCount(registry: Registry, { name, help, read }: { name: string; help: string; read: Count }): void {
  new Gauge({
    name,
    help,
    // Every process reads the same value.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const count = await read()
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
}
