import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { DomainError } from '../kernel/errors.ts'
import { claimDueJobs, declareJob, endRun, type JobSchedule, type Runner, renewLease } from './scheduled-jobs.store.ts'

/*
 * Runs jobs on a schedule, each in one process of the deployment at a time. A row of `scheduled_jobs` says when a job
 * is due; a process leases the row before it runs the job, and renews the lease until the run has ended. If the process
 * is killed, the lease expires and another process repeats the run. A job that came due while no process was running is
 * run once.
 *
 * A process that cannot reach the database may run on for a moment after its lease has expired. Every job therefore
 * works in small transactions that can be repeated.
 */

export interface ScheduledJob extends JobSchedule {
  /** One run. Must end soon after `signal` aborts, which means that the process is stopping or has lost its lease. */
  run(signal: AbortSignal): Promise<void>
}

export interface Scheduler {
  /** Starts no new runs, aborts the current ones and waits for them to end. The database is not used afterwards. */
  stop(): Promise<void>
}

interface SchedulerOptions {
  db: Database
  log: Logger
  jobs: readonly ScheduledJob[]
  timing?: Partial<Timing>
}

/** Times in milliseconds. The defaults are meant for production. */
export interface Timing {
  /** The pause before the first check, so that it does not slow down startup. */
  startAfterMs: number
  /** If a process is killed while it runs a job, another process takes over the job within this time. */
  leaseMs: number
  retryMs: number
  /** The longest pause between two checks. It is limited because another process may make a job due earlier. */
  longestPauseMs: number
  /** The pause between two checks while the database is unavailable. */
  unavailablePauseMs: number
}

const defaultTiming: Timing = {
  startAfterMs: 3_000,
  leaseMs: 60_000,
  retryMs: 60_000,
  longestPauseMs: 60_000,
  unavailablePauseMs: 10_000,
}

/**
 * The shortest pause between two checks, needed because a job that another process is claiming at that moment still
 * looks due.
 */
const shortestPauseMs = 1_000

/** From this failure in a row on, the log says so as an error. */
const failuresToReport = 3

/** Starts running the deployment's scheduled jobs. Any number of processes can do so together. */
export function startScheduler({ db, log, jobs, timing: given }: SchedulerOptions): Scheduler {
  const timing = { ...defaultTiming, ...given }
  const runner: Runner = { id: randomUUID(), leaseMs: timing.leaseMs }
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  let isUnavailable = false
  let lookAt = performance.now() + timing.startAfterMs
  let pause = new AbortController()

  /** Makes sure that the next check happens within `ms` milliseconds. */
  function lookWithin(ms: number): void {
    lookAt = Math.min(lookAt, performance.now() + ms)
    pause.abort()
  }

  async function untilLook(): Promise<void> {
    for (let ms = lookAt - performance.now(); ms > 0 && !stopping.signal.aborted; ms = lookAt - performance.now()) {
      pause = new AbortController()
      await elapsed(ms, AbortSignal.any([pause.signal, stopping.signal]))
    }
  }

  /** Returns the result of these statements, or undefined if they failed. Logs each outage of the database once. */
  async function reach<Result>(statements: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await statements()
      if (isUnavailable) log.info('scheduled jobs resumed: the database is available again')
      isUnavailable = false
      return result
    } catch (error) {
      const isOutage = error instanceof DomainError && error.code === 'service_unavailable'
      if (!isOutage) log.error({ err: error }, 'scheduler query failed; it will be retried')
      else if (!isUnavailable) log.warn({ err: error }, 'scheduled jobs paused: the database is unavailable')
      isUnavailable ||= isOutage
      return undefined
    }
  }

  async function look(): Promise<void> {
    const names = jobs.map(({ name }) => name).filter((name) => !running.has(name))
    const found = await reach(() => claimDueJobs(db, names, runner))
    const nextMs = found === undefined ? timing.unavailablePauseMs : (found.nextMs ?? timing.longestPauseMs)
    lookAt = performance.now() + Math.min(Math.max(nextMs, shortestPauseMs), timing.longestPauseMs)
    for (const job of jobs.filter(({ name }) => found?.claimed.includes(name))) {
      running.set(job.name, runOnce(job))
    }
  }

  async function runOnce(job: ScheduledJob): Promise<void> {
    const ended = new AbortController()
    const lost = new AbortController()
    const holding = hold(job.name, lost, ended.signal)
    const failure = await job.run(AbortSignal.any([stopping.signal, lost.signal])).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    ended.abort()
    await holding
    const outcome = failure !== undefined ? 'failed' : stopping.signal.aborted ? 'stopped' : 'succeeded'
    const end = await reach(() => endRun(db, job, { runnerId: runner.id, outcome, retryMs: timing.retryMs }))
    const failures = end?.failures ?? 1
    if (failure !== undefined)
      log[failures < failuresToReport ? 'warn' : 'error'](
        { err: failure.error, job: job.name, failures },
        'scheduled job failed; it will be retried',
      )
    running.delete(job.name)
    if (end !== undefined) lookWithin(end.dueInMs)
  }

  /** Renews the lease until the run has ended. Aborts `lost` when another process may have taken the job over. */
  async function hold(name: string, lost: AbortController, ended: AbortSignal): Promise<void> {
    const renewEveryMs = timing.leaseMs / 3
    let heldUntil = performance.now() + timing.leaseMs
    while (!lost.signal.aborted) {
      await elapsed(renewEveryMs, ended)
      if (ended.aborted) return
      const sentAt = performance.now()
      const isHeld = await reach(() => renewLease(db, name, runner))
      if (isHeld === true) heldUntil = sentAt + timing.leaseMs
      else if (isHeld === false || performance.now() + renewEveryMs > heldUntil) lost.abort()
    }
  }

  async function work(): Promise<void> {
    let isDeclared = false
    for (;;) {
      await untilLook()
      if (stopping.signal.aborted) break
      isDeclared ||= (await reach(() => Promise.all(jobs.map((job) => declareJob(db, job))))) !== undefined
      if (isDeclared) await look()
      else lookAt = performance.now() + timing.unavailablePauseMs
    }
    await Promise.all(running.values())
  }

  const worked = work()
  return {
    async stop() {
      stopping.abort()
      await worked
    },
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
async function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
