import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss, QueueOptions } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { isAbsence, type JobTiming, jobStatements, openJobLibrary } from './job-library.ts'

/*
 * What is to be done every minute or every hour, once for a deployment however many processes it has. The job library
 * carries the schedules (`job-library.ts`): whichever process looks first turns a due schedule into a job, whichever asks
 * first runs it, and no other job of that name is made or run meanwhile. A process that is killed stops giving signs of
 * life, and its job is run again within some two minutes. An outage over the full hour is made up for, once.
 *
 * So a run may be cut off at any point and repeated, and where a process was only cut off from the database it may, for a
 * moment, have a successor: every job does its work in small steps that can be done twice.
 */

export interface ScheduledJob {
  /** Names its queue and its schedule in the database. */
  name: string
  /** A cron expression in UTC, with minutes as its smallest unit. */
  cron: string
  /** One run. Ends soon after `signal`: the process is stopping, or the run has lost its claim. */
  run(signal: AbortSignal): Promise<void>
}

export interface ScheduledWork {
  /** Begins nothing more, tells running jobs to end and waits for them; the database is not used after it. */
  stop(): Promise<void>
}

interface ScheduledWorkOptions {
  db: Database
  log: Logger
  jobs: readonly ScheduledJob[]
  timing?: Partial<JobTiming>
  /** Nothing here is urgent: a process that has just started first does what it is there for. */
  startAfterMs?: number
  /** The pause after a start that failed, as while the database is away. */
  startAgainAfterMs?: number
}

const defaultTiming: JobTiming = { pollSeconds: 30, heartbeatSeconds: 30 }

/** Takes part in the deployment's scheduled work; any number of processes may. */
export function startScheduledWork(options: ScheduledWorkOptions): ScheduledWork {
  const { db, log, jobs, startAfterMs = 3_000, startAgainAfterMs = 10_000 } = options
  const timing = { ...defaultTiming, ...options.timing }
  const statements = jobStatements(db, log)
  const stopping = new AbortController()

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  async function begin(): Promise<PgBoss | undefined> {
    await pause(startAfterMs)
    while (!stopping.signal.aborted) {
      let boss: PgBoss | undefined
      try {
        boss = await openJobLibrary(statements, timing, log)
        await boss.start()
        await declare(boss, jobs, timing)
        for (const job of jobs) await work(boss, job)
        return boss
      } catch (error) {
        if (!isAbsence(error)) log.error({ err: error }, 'scheduled work could not be started; trying again')
        await boss?.stop({ graceful: false })
        await pause(startAgainAfterMs)
      }
    }
    return undefined
  }

  async function work(boss: PgBoss, { name, run }: ScheduledJob): Promise<void> {
    await boss.work(name, { pollingIntervalSeconds: timing.pollSeconds }, async (claimed) => {
      const signal = AbortSignal.any([stopping.signal, ...claimed.map((job) => job.signal)])
      try {
        await run(signal)
      } catch (error) {
        log.warn({ err: error, job: name }, 'a scheduled job failed; it is tried again')
        // The library keeps what it is given, and the details of a database error can repeat values of a row.
        throw new Error('the run failed; the log says why')
      }
    })
  }

  const begun = begin()
  return {
    async stop() {
      stopping.abort()
      const boss = await begun
      if (boss === undefined) return
      await Promise.all(jobs.map(({ name }) => boss.offWork(name)))
      await boss.stop({ graceful: false })
    },
  }
}

/** Makes the queues and schedules what the jobs say; writes nothing where they already are. */
async function declare(boss: PgBoss, jobs: readonly ScheduledJob[], { heartbeatSeconds }: JobTiming): Promise<void> {
  const wanted = { retryLimit: 2, retryDelay: 10, heartbeatSeconds, deleteAfterSeconds: 86_400 } satisfies QueueOptions
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  for (const { name, cron } of jobs) {
    const queue = queues.find((each) => each.name === name)
    if (queue === undefined) await boss.createQueue(name, { policy: 'exclusive', ...wanted })
    else if (Object.entries(wanted).some(([option, value]) => queue[option as keyof typeof wanted] !== value))
      await boss.updateQueue(name, wanted)
    if (schedules.find((each) => each.name === name)?.cron !== cron)
      await boss.schedule(name, cron, undefined, { missed: 'once' })
  }
}
