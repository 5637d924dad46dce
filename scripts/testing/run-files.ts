import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { FileOutcome, WorkerMessage } from './outcome.ts'

const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
/** The test runner takes a module's default export, which modules here do not have. */
const reporter = `data:text/javascript,export { toRunner as default } from '${new URL('reporter.ts', import.meta.url).href}'`
const loopbackOnly = new URL('../../test/support/loopback-only.ts', import.meta.url).href

interface RunOptions {
  workers?: number
  /** A file that takes longer has hung: its process is killed and it counts as failed. */
  timeoutMs: number
  onOutcome(outcome: FileOutcome): void
}

/** One process more than there are cores: a test also waits. */
const processes = availableParallelism() + 1

/** Runs files of tests, each once, in several processes. A process that dies fails the file it had, and is replaced. */
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

/** Hands files to one process until there are none left or it dies. */
function runWorker(next: () => string | undefined, { timeoutMs, onOutcome }: RunOptions): Promise<void> {
  const child = startWorker()
  /** Files whose outcome has not come, with the moment they began. */
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
  /** The outcome of a file can come after the worker is ready for the next. */
  const leave = () => {
    if (isDone && running.size === 0 && child.connected) child.disconnect()
  }
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
        const seconds = (performance.now() - begunAt) / 1_000
        end({ file, passed: 0, skipped: 0, failures: [{ titles: [], error: how }], diagnostics: [], seconds })
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
      // For every process of the tests: nothing leaves this machine.
      NODE_OPTIONS: `--import=${loopbackOnly}`,
      // Modules are stripped of their types and compiled once for all processes, those the tests start included.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
  })
}
