import { Gauge, type Registry } from 'prom-client'

/** Registers how many contracts wait for the back office. Leaves the value out if the database could not provide it. */
export function registerContractMetrics(registry: Registry, read: () => Promise<number | undefined>): void {
  new Gauge({
    name: 'housebill_contracts_unacknowledged',
    help: 'Contracts that are or were in force and have had a version for a day that the back office has not acknowledged.',
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
