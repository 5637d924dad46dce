/** What became of one file of tests. */
export interface FileOutcome {
  /** From the project's root. */
  file: string
  passed: number
  skipped: number
  failures: readonly Failure[]
  seconds: number
  /** What tests said with `t.diagnostic`. */
  diagnostics: readonly string[]
}

/** One failed test: its titles from the outermost on, and the error as text. */
export interface Failure {
  titles: readonly string[]
  error: string
}

/** From a worker: it wants the next file, or a file has ended. */
export type WorkerMessage = 'ready' | FileOutcome

export function sendToRunner(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}
