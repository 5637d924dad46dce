import type { TestContext } from 'node:test'
import { Pool, type PoolConfig } from 'pg'
import { pino } from 'pino'
import { createDatabases } from '../../../src/platform/db/databases.ts'
import { connectionStringAs, systemRole } from '../../../src/platform/db/ensure-runtime-roles.ts'
import { type ScheduledJob, startScheduler, type Timing } from '../../../src/platform/jobs/scheduler.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { waitFor } from '../../support/wait-for.ts'

interface TakesPart {
  stop(): Promise<void>
  pool: Pool
  /** Resolves when this process has checked for due jobs once more and has claimed every job that it could. */
  hasLooked(): Promise<void>
}

export interface JobLab {
  connectionString: string
  logged: { level: number; msg: string }[]
  /** Runs jobs as a separate process would, and checks for due jobs ten times a second. Stopped after the test. */
  takePart(jobs: readonly ScheduledJob[], options?: { connectionString?: string; timing?: Partial<Timing> }): TakesPart
  isDeclared(name: string): Promise<unknown>
  /** Makes a job due now. If it is already due or running, changes nothing and returns false. */
  ask(name: string): Promise<boolean>
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

export async function openJobLab(t: TestContext, database?: TestDatabase): Promise<JobLab> {
  const { connectionString, drop } = database ?? (await createTestDatabase(undefined, { hasSchedule: true }))
  const own = openPool({ connectionString, max: 3 })
  const logged: JobLab['logged'] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const closing: (() => Promise<unknown>)[] = []
  let processes = 0
  t.after(async () => {
    for (const close of closing.reverse()) await close()
    await own.end()
    await drop()
  })
  const rows = async (text: string, values: unknown[] = []) => (await own.query(text, values)).rows
  const ask = async (name: string) =>
    (await rows('update scheduled_jobs set due_at = now() where name = $1 and due_at > now() returning name', [name]))
      .length === 1
  const isDeclared = (name: string) =>
    waitFor(
      `${name} is declared`,
      async () => (await rows('select from scheduled_jobs where name = $1', [name])).length,
    )
  return {
    connectionString,
    logged,
    rows,
    ask,
    isDeclared,
    takePart(jobs, { timing, ...options } = {}) {
      const pool = openPool({
        connectionString: connectionStringAs(systemRole, connectionString),
        max: 5,
        application_name: 'takes part',
        pipeline: true,
        ...options,
      })
      processes += 1
      let marked = 0
      const marker = rareJob(async () => {
        marked += 1
      }, `marker-${processes}`)
      const scheduler = startScheduler({
        db: createDatabases({ app: pool, system: pool }).system,
        log,
        jobs: [...jobs, marker],
        timing: { startAfterMs: 0, longestPauseMs: 100, unavailablePauseMs: 100, ...timing },
      })
      let stopped: Promise<void> | undefined
      const stop = () => {
        stopped ??= scheduler.stop().then(() => pool.end())
        return stopped
      }
      closing.push(stop)
      return {
        stop,
        pool,
        async hasLooked() {
          const before = marked
          await waitFor(`${marker.name} is due`, () => ask(marker.name))
          await waitFor(`${marker.name} is run`, () => marked > before)
        },
      }
    },
  }
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // Some tests cut the connections of this pool.
  pool.on('error', () => undefined)
  return pool
}

/** A job whose next scheduled run is decades away, so that it runs only when a test triggers it. */
export function rareJob(run: ScheduledJob['run'], name = 'rare'): ScheduledJob {
  return { name, everyMinutes: 50_000_000, atMinute: 0, run }
}
