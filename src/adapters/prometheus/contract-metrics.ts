import { Gauge, type Registry } from 'prom-client'

type Count = () => Promise<number | undefined>

/** What waits for the back office. */
export interface ContractCounts {
  unacknowledged: Count
  unconfirmed: Count
  /** Absent where supply is presumed. */
  unreported?: Count
}

/** Registers what waits for the back office. Leaves a value out if the database could not provide it. */
export function registerContractMetrics(
  registry: Registry,
  { unacknowledged, unconfirmed, unreported }: ContractCounts,
): void {
  registerCount(registry, {
    name: 'housebill_contracts_unacknowledged',
    help: 'Contracts that are or were in force and have had a version for a day that the back office has not acknowledged.',
    read: unacknowledged,
  })
  registerCount(registry, {
    name: 'housebill_confirmations_missing',
    help: 'Contracts in force whose tenants were not sent a confirmation within a day, or whose confirmation was refused.',
    read: unconfirmed,
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
    registers: [registry],
    async collect() {
      const count = await read()
      if (count === undefined) this.remove()
      else this.set(count)
    },
  })
}
