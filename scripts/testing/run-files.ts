import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { FileOutcome, WorkerMessage } from './outcome.ts'

const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
/** A wrapper for our reporter: Node's test runner needs a default export, which our modules do not have. */
const reporter = `data:text/javascript,export { outcomeReporter as default } from '${new URL('reporter.ts', import.meta.url).href}'`
const loopbackOnly = new URL('../../test/support/loopback-only.ts', import.meta.url).href

interface RunOptions {
  workers?: number
  /**
   * The time limit for running one test file. If a file takes longer, its process is killed and the file counts as
   * failed.
   */
  timeoutMs: number
  onOutcome(outcome: FileOutcome): void
}

/** Two more processes than there are cores, because tests spend part of their time waiting. */
const processes = availableParallelism() + 2

/** How long a process may take to stop its shared services once it has run its last file. */
const closingMs = 60_000

/** Runs each test file once, in several processes. If a process dies, its file fails and the process is replaced. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<void> {
  const left = [...files]
  const { workers = processes } = options
  const next = () => left.shift()
  await Promise.all(
    Array.from({ length: Math.min(workers, files.length) }, async () => {
      while (left.length > 0) await runWorker(next, options)
    }),
  )
}

/** Gives files to one process until there are no files left or the process dies. */
function runWorker(next: () => string | undefined, { timeoutMs, onOutcome }: RunOptions): Promise<void> {
  const child = startWorker()
  /** The files that have no outcome yet, each with the time at which it started. */
  const running = new Map<string, number>()
  let deadline: NodeJS.Timeout | undefined
  let hung = false
  let isDone = false

  const handOut = () => {
    clearTimeout(deadline)
    const file = next()
    isDone = file === undefined
    if (file === undefined) return leave()
    running.set(file, performance.now())
    child.send(file)
    deadline = setTimeout(() => {
      hung = true
      child.kill('SIGKILL')
    }, timeoutMs)
  }
  /**
   * Ends the process once all outcomes have arrived, because an outcome can arrive after the worker reports that it is
   * ready for the next file.
   */
  const leave = () => {
    if (!isDone || running.size > 0 || !child.connected) return
    child.disconnect()
    deadline = setTimeout(() => {
      child.kill('SIGKILL')
      failed('all its files', 'a test left something open, so the process did not end')
    }, closingMs)
  }
  const failed = (file: string, error: string, seconds = 0) =>
    onOutcome({
      file,
      passed: 0,
      skipped: 0,
      failures: [{ titles: [], error }],
      diagnostics: [],
      seconds,
      processorSeconds: 0,
      childSeconds: 0,
    })
  const end = (outcome: FileOutcome) => {
    running.delete(outcome.file)
    onOutcome(outcome)
    leave()
  }
  return new Promise((resolve) => {
    child.on('message', (message: WorkerMessage) => (message === 'ready' ? handOut() : end(message)))
    child.once('exit', (code, signal) => {
      clearTimeout(deadline)
      const how = hung
        ? `did not end within ${timeoutMs / 1_000} s`
        : `its process ended with ${signal ?? `code ${code}`}`
      for (const [file, begunAt] of running) {
        running.delete(file)
        failed(file, how, (performance.now() - begunAt) / 1_000)
      }
      resolve()
    })
  })
}

function startWorker(): ChildProcess {
  return fork(worker, {
    execArgv: [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout'],
    env: {
      ...process.env,
      // Blocks all network access except loopback, in every test process.
      NODE_OPTIONS: `--import=${loopbackOnly}`,
      // All processes, including those that tests start, share one cache of compiled modules.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
  })
}
