/** The outcome of one test file. */
export interface FileOutcome {
  /** Relative to the project's root. */
  file: string
  passed: number
  skipped: number
  failures: readonly Failure[]
  seconds: number
  /** Messages from `t.diagnostic`. */
  diagnostics: readonly string[]
}

/** One failed test: its titles from the outermost in, and the error as text. */
export interface Failure {
  titles: readonly string[]
  error: string
}

/** From a worker: ready for a file, or the outcome of one. */
export type WorkerMessage = 'ready' | FileOutcome

export function sendToRunner(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}
