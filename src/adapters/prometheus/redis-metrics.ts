import { Gauge, type Registry } from 'prom-client'

/** Adds a gauge that says whether Redis answers, so that the processes share their rate limits. */
export function registerRedisMetrics(registry: Registry, isShared: () => boolean): void {
  new Gauge({
    name: 'housebill_redis_up',
    help: '1 while Redis answers and processes share their rate limits; 0 while each process counts by itself.',
    registers: [registry],
    collect() {
      this.set(isShared() ? 1 : 0)
    },
  })
}
