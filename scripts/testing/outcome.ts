import { existsSync, readFileSync } from 'node:fs'

/** The outcome of one test file. */
export interface FileOutcome {
  /** The path relative to the project's root. */
  file: string
  passed: number
  skipped: number
  failures: readonly Failure[]
  seconds: number
  /**
   * Processor time of the process that ran the file, in seconds. Leaves out PostgreSQL and processes that the tests
   * start.
   */
  processorSeconds: number
  /** Processor time of processes that the tests started and that have ended, in seconds. */
  childSeconds: number
  /** Messages from `t.diagnostic`. */
  diagnostics: readonly string[]
}

/** One failed test: the titles of the enclosing suites, outermost first, then its own title, and the error as text. */
export interface Failure {
  titles: readonly string[]
  error: string
}

/** A message from a worker: either that it is ready for a file, or the outcome of a file. */
export type WorkerMessage = 'ready' | FileOutcome

export function sendToRunner(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}

/**
 * Processor time of processes that this one started, and those started, and that have ended. 0 where there is no /proc.
 */
export function secondsOfChildren(): number {
  return secondsIn('self', 13)
}

/** Processor time of a process and of those that it started and that have ended. 0 where there is no /proc. */
export function secondsOf(pid: number): number {
  return secondsIn(String(pid), 11)
}

/** Adds the times in /proc/PID/stat from this field after the name up to `cstime`. */
function secondsIn(process: string, firstField: number): number {
  const file = `/proc/${process}/stat`
  if (!existsSync(file)) return 0
  const [, rest = ''] = readFileSync(file, 'utf8').split(') ', 2)
  const ticks = rest.split(' ').slice(firstField, 15).map(Number)
  // Linux reports hundredths of a second to programs, whatever the kernel's own tick is.
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}
