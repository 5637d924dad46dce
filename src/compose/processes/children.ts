import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { CommandError } from '../../kernel/command-error.ts'
import { type Answers, connectPeer, type Peer } from './peer.ts'
import type { AskedOfChild, AskedOfParent } from './questions.ts'

/** A process that serves requests, started by this one. */
export interface Child {
  readonly pid: number | undefined
  readonly peer: Peer<AskedOfChild>
}

interface RunningChild extends Child {
  readonly worker: Worker
  /** Rejects if the process ends before it is ready. */
  readonly ready: Promise<void>
  readonly ended: Promise<void>
  readyAt: number | undefined
  isRetired: boolean
}

interface ChildrenOptions {
  count: number
  /** The file that each process runs. */
  program: URL
  log: Logger
  /** What a process may ask, except whether it is ready. */
  answersTo(child: Child): Omit<Answers<AskedOfParent>, 'ready'>
  onEnded(child: Child): Promise<void>
}

export interface Children {
  /** Starts all of them; resolves when they are ready. */
  start(): Promise<void>
  running(): readonly Child[]
  /** Replaces one after the other, each once the new one is ready. */
  restart(): Promise<void>
  /** Lets all of them finish their requests and end. */
  stop(): Promise<void>
  /** Resolves if no process can be started any more. */
  failed: Promise<CommandError>
}

/** A process that has served for this long has started well. */
const startedWellMs = 10_000
/** After this many failed starts in a row, and without a process that serves, nothing will help but the operator. */
const failedStarts = 5
const longestPauseMs = 10_000

/** Keeps `count` processes running, which share one port through `node:cluster`. A process that ends is replaced. */
export function superviseChildren({ count, program, log, answersTo, onEnded }: ChildrenOptions): Children {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: fileURLToPath(program), args: [] })
  const children = new Set<RunningChild>()
  const { promise: failed, resolve: fail } = Promise.withResolvers<CommandError>()
  let isStarted = false
  let isStopping = false
  let failures = 0
  let restarting: Promise<void> | undefined
  let mustRestartAgain = false
  // Covers every way in which this process may end by itself. If it is killed, they notice that their channel is closed.
  process.on('exit', () => {
    for (const { worker } of children) worker.process.kill('SIGKILL')
  })

  function launch(): RunningChild {
    const worker = cluster.fork()
    const ready = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const peer = connectPeer<AskedOfChild, AskedOfParent>(
      {
        send: (message, onSent) => worker.send(message, undefined, undefined, onSent),
        onMessage: (listener) => worker.on('message', listener),
      },
      {
        ready() {
          child.readyAt = performance.now()
          ready.resolve()
          return undefined
        },
        add: (counted) => answers.add(counted),
        read: (counted) => answers.read(counted),
        borrow: (counted) => answers.borrow(counted),
        settings: () => answers.settings(undefined),
        metrics: () => answers.metrics(undefined),
        lastMetrics: (readings) => answers.lastMetrics(readings),
      },
    )
    const child: RunningChild = {
      pid: worker.process.pid,
      worker,
      peer,
      ready: ready.promise,
      ended: ended.promise,
      readyAt: undefined,
      isRetired: false,
    }
    const answers = answersTo(child)
    children.add(child)
    // Most callers wait for one of the two only.
    ready.promise.catch(() => undefined)
    // A process that dies while a connection is passed to it; its end is reported below.
    worker.on('error', (error) => log.warn({ err: error, childPid: child.pid }, 'channel to a process failed'))
    worker.once('exit', (code, signal) => {
      children.delete(child)
      ready.reject(new Error('the process ended before it was ready'))
      onEnded(child).finally(ended.resolve)
      if (isStopping || child.isRetired || !isStarted) return
      log.error({ endedPid: child.pid, code, signal }, 'process ended unexpectedly; it is replaced')
      replace(child)
    })
    return child
  }

  async function replace({ readyAt }: RunningChild): Promise<void> {
    const startedWell = readyAt !== undefined && performance.now() - readyAt > startedWellMs
    failures = startedWell ? 1 : failures + 1
    if (failures >= failedStarts && [...children].every((each) => each.readyAt === undefined)) {
      fail(
        new CommandError(
          'processes_do_not_start',
          'None of the processes that serve requests starts any more. The log says why. Correct that, then start Housebill again.',
        ),
      )
      return
    }
    if (failures > 1) await sleep(Math.min(100 * 2 ** (failures - 2), longestPauseMs))
    const active = [...children].filter(({ isRetired }) => !isRetired)
    if (!isStopping && active.length < count) launch()
  }

  async function restartAll(): Promise<void> {
    log.info('rolling restart begins')
    for (const old of [...children]) {
      const fresh = launch()
      const isReady = await fresh.ready.then(
        () => true,
        () => false,
      )
      if (isStopping) return
      if (!isReady) {
        log.error('rolling restart aborted: the new process did not start; the others keep running')
        return
      }
      old.isRetired = true
      // It may have ended in the meantime.
      await old.peer.ask('retire', undefined).catch(() => undefined)
      await old.ended
    }
    log.info('rolling restart finished')
  }

  return {
    failed,
    running: () => [...children],
    async start() {
      const first = Array.from({ length: count }, launch)
      await Promise.all(first.map(({ ready }) => ready))
      isStarted = true
    },
    async restart() {
      mustRestartAgain = restarting !== undefined
      restarting ??= (async () => {
        do {
          mustRestartAgain = false
          await restartAll()
        } while (mustRestartAgain && !isStopping)
        restarting = undefined
      })()
      await restarting
    },
    async stop() {
      isStopping = true
      const all = [...children]
      await Promise.all(all.map(({ peer }) => peer.ask('stop', undefined).catch(() => undefined)))
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}
