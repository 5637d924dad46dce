import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * Returns the registry of the metrics of this process: memory, CPU, garbage collection and event loop, under the library's names. The
 * whole process has one registry, because the library's observers cannot be removed: with one registry per service, they would pile up.
 */
export function getProcessRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    // The default of 10 ms wakes an idle process 100 times a second.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  }
  return registry
}
