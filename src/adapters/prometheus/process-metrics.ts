import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * Memory, CPU, garbage collection and event loop of the process, with the library's metric names. There is one registry for the
 * whole process, because the library's observers cannot be removed: with one registry per service, they would pile up.
 */
export function getProcessRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    // The default of 10 ms wakes an idle process 100 times a second.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  }
  return registry
}
