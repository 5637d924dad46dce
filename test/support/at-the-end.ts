import { after } from 'node:test'

/**
 * Calls `close` when this process ends, because the test runner runs many files in one process. In a file that runs
 * without the runner, calls it after the file's tests.
 */
export function atTheEnd(close: () => Promise<unknown>): void {
  if (process.connected) process.once('disconnect', () => void close())
  else after(close)
}
