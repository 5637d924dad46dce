/** The outcome of one test file. */
export interface FileOutcome {
  /** The path relative to the project's root. */
  file: string
  passed: number
  skipped: number
  failures: readonly Failure[]
  seconds: number
  /** Processor time of the process that ran the file, in seconds. Leaves out PostgreSQL and processes that the tests start. */
  processorSeconds: number
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
