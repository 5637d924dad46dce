import type { CountedKey, Loan } from '../../adapters/call-counter/lending.ts'
import type { MetricReading } from '../../adapters/prometheus/metrics.ts'
import type { CallCount } from '../../domain/rate-limits/call-counter.ts'
import type { SimulatorUrls } from '../sandbox/simulators.ts'
import type { PoolSizes } from './pool-sizes.ts'

/** What a process that serves requests needs to start. */
export interface StartSettings {
  privateUrl: string | undefined
  poolSizes: PoolSizes
  simulators: SimulatorUrls
}

/** What the processes that serve requests ask their parent. */
export type AskedOfParent = {
  settings: { argument: undefined; reply: StartSettings }
  /** The process accepts connections. */
  ready: { argument: undefined; reply: undefined }
  add: { argument: CountedKey & { points: number }; reply: CallCount }
  read: { argument: CountedKey; reply: CallCount }
  borrow: { argument: CountedKey & { quota: number }; reply: Loan }
  /** The metrics of all processes, as text. */
  metrics: { argument: undefined; reply: string }
  /** The last metrics of the process, which is about to end. */
  lastMetrics: { argument: readonly MetricReading[]; reply: undefined }
}

/** What the parent asks them. */
export type AskedOfChild = {
  recall: { argument: string; reply: number }
  metrics: { argument: undefined; reply: readonly MetricReading[] }
  /** Finish current requests, then end. */
  stop: { argument: undefined; reply: undefined }
  /** Accept nothing new, let clients close their connections, then end. */
  retire: { argument: undefined; reply: undefined }
}
