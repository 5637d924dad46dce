import { AggregatorRegistry } from 'prom-client'
import type { MetricReading } from './metrics.ts'
import { getProcessRegistry } from './process-metrics.ts'

/** Adds up the metrics of several processes. Counts of processes that have ended stay in the sums, so that no counter goes back. */
export interface MetricTotals<Process extends object> {
  /** Remembers what a process read last, unless it has ended. */
  keep(process: Process, readings: readonly MetricReading[]): void
  /** Call this when a process has ended. */
  end(process: Process): Promise<void>
  /** The sums as text, with this process's own use of memory and CPU. */
  render(): Promise<string>
}

/** Whether the values only grow. In JSON, the types are plain texts. */
const isCounted = ({ type }: MetricReading): boolean => ['counter', 'histogram'].includes(String(type))

export function createMetricTotals<Process extends object>(): MetricTotals<Process> {
  const latest = new Map<Process, readonly MetricReading[]>()
  const gone = new WeakSet<Process>()
  let ended: readonly MetricReading[] = []

  return {
    keep(process, readings) {
      if (!gone.has(process)) latest.set(process, readings)
    },
    async end(process) {
      gone.add(process)
      const last = (latest.get(process) ?? []).filter(isCounted)
      latest.delete(process)
      ended = await AggregatorRegistry.aggregate([[...ended], last]).getMetricsAsJSON()
    },
    async render() {
      const own = await getProcessRegistry().getMetricsAsJSON()
      const ofThisProcess = own.filter(({ name }) => name.startsWith('process_'))
      return AggregatorRegistry.aggregate([...latest.values(), ended, ofThisProcess].map((each) => [...each])).metrics()
    },
  }
}
