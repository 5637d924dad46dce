import { Gauge, type Registry } from 'prom-client'

/** How long the operator's credentials with every scope work. */
export type FullAccess = () => Promise<{ secondsLeft: number } | undefined>

/** Registers how long it is until the last of them expires. Leaves the value out if one never does, or the database could not provide it. */
export function registerCredentialMetrics(registry: Registry, read: FullAccess): void {
  new Gauge({
    name: 'housebill_operator_credentials_expire_seconds',
    help: 'Seconds until the last of the operator credentials with every scope expires.',
    // Every process reads the same value.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const end = await read()
      if (end === undefined) this.remove()
      else this.set(end.secondsLeft)
    },
  })
}
