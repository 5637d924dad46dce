import type { Db, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { jobSchema } from '../db/job-schema.ts'
import { runJobStatement } from '../db/run-job-statement.ts'

/** How the library is set up; every value fits production. */
export interface JobTiming {
  /** Between two looks for work: for schedules that are due, for jobs, and for jobs whose process is gone. */
  pollSeconds: number
  /** A process that has not been heard of for so long is gone. The library takes 10 or more. */
  heartbeatSeconds: number
}

/** How the library reaches the database. */
export type JobStatements = Db['executeSql']

/**
 * The job library over our pool: it opens no connection, changes no structure, and looks for work as rarely as schedules of
 * whole minutes allow. Not started yet.
 */
export async function openJobLibrary(executeSql: JobStatements, timing: JobTiming, log: Logger): Promise<PgBoss> {
  // Loaded here, so that commands and starts that end before any work is due do not load it.
  const { PgBoss } = await import('pg-boss')
  const neverUsedSeconds = 86_400
  const boss = new PgBoss({
    db: { executeSql },
    schema: jobSchema,
    migrate: false,
    createSchema: false,
    cronMonitorIntervalSeconds: timing.pollSeconds,
    cronWorkerIntervalSeconds: timing.pollSeconds,
    superviseIntervalSeconds: timing.pollSeconds,
    monitorIntervalSeconds: timing.pollSeconds,
    queueCacheIntervalSeconds: 3_600,
    flowIntervalSeconds: neverUsedSeconds,
    // Needs the tables' owner; they are small.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => {
    if (!isAbsence(error)) log.error({ err: asError(error) }, 'the job library met an error')
  })
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'the job library warns'))
  return boss
}

/**
 * The library's statements over our pool. While the database is away that is logged once, and once more when it is back.
 * Statements are under way at the same time: one that began before a change was noticed tells nothing of what is now.
 */
export function jobStatements(db: Database, log: Logger): JobStatements {
  let isAway = false
  let noticedAt = Number.NEGATIVE_INFINITY

  function notice(becomesAway: boolean, begunAt: number, report: () => void): void {
    if (isAway === becomesAway || begunAt < noticedAt) return
    isAway = becomesAway
    noticedAt = performance.now()
    report()
  }

  return async (text, values) => {
    const begunAt = performance.now()
    try {
      const result = await runJobStatement(db, text, values)
      notice(false, begunAt, () => log.info('the database is back; scheduled work goes on'))
      return result
    } catch (error) {
      if (isAbsence(error))
        notice(true, begunAt, () =>
          log.warn({ err: error }, 'the database cannot be reached; scheduled work waits for it'),
        )
      throw error
    }
  }
}

/** The library hands on copies of errors, with their members and without their class. */
export function isAbsence(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'service_unavailable'
}

function asError(error: Error): Error {
  if (error instanceof Error) return error
  const { message, stack } = error as { message: string; stack?: string }
  return Object.assign(new Error(message), stack === undefined ? {} : { stack })
}
