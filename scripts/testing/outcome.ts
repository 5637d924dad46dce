/** The outcome of one test file. */
export interface FileOutcome {
  /** The path relative to the project's root. */
  file: string
  passed: number
  skipped: number
  failures: readonly Failure[]
  seconds: number
  /** Messages from `t.diagnostic`. */
  diagnostics: readonly string[]
}

/** One failed test: the titles of the suites around it and its own, outermost first, and the error as text. */
export interface Failure {
  titles: readonly string[]
  error: string
}

/** A message from a worker: it is ready for a file, or this is the outcome of a file. */
export type WorkerMessage = 'ready' | FileOutcome

export function sendToRunner(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}
