import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * Memory, CPU, garbage collection and event loop of the process, by the library's own names. Once for the process, whatever
 * runs in it: the library's observers cannot be ended, so one set for every service would pile up.
 */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
