import { Counter, type Registry } from 'prom-client'

/** Registers the counter of dropped connections; the returned function counts one. */
export function registerConnectionMetrics(registry: Registry): (reason: 'all' | 'site') => void {
  const dropped = new Counter({
    name: 'housebill_connections_dropped_total',
    help: 'Connections closed at once because there are too many: in all, or from one site.',
    labelNames: ['reason'],
    registers: [registry],
  })
  for (const reason of ['all', 'site']) dropped.inc({ reason }, 0)
  return (reason) => dropped.inc({ reason })
}
