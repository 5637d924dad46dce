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
  if (!existsSync('/proc/self/stat')) return 0
  const [, rest = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ', 2)
  const [user = 0, system = 0] = rest.split(' ').slice(13, 15).map(Number)
  // Linux reports hundredths of a second to programs, whatever the kernel's own tick is.
  return (user + system) / 100
}
