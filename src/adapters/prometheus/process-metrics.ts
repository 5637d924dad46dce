import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * Memory, CPU, garbage collection and event loop of the process, with the library's metric names. One registry for the whole
 * process: the library's observers cannot be removed, so one per service would pile up.
 */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
