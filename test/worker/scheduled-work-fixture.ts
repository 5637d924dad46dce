import type { TestContext } from 'node:test'
import { Pool, type PoolConfig } from 'pg'
import { PgBoss } from 'pg-boss'
import { pino } from 'pino'
import { createDatabases } from '../../src/db/databases.ts'
import { jobSchema } from '../../src/db/job-schema.ts'
import { type ScheduledJob, startScheduledWork } from '../../src/worker/scheduled-work.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { until } from '../webhooks/receiver-fixture.ts'

export interface JobLab {
  connectionString: string
  logged: { level: number; msg: string }[]
  /** A process that takes part, in this one; looks for work every second. Stopped after the test. */
  takePart(
    jobs: readonly ScheduledJob[],
    options?: { connectionString?: string },
  ): { stop(): Promise<void>; pool: Pool }
  /** Makes a job, as a schedule that has come due does; false where one is there already. */
  ask(name: string): Promise<boolean>
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

export async function openJobLab(t: TestContext, database?: TestDatabase): Promise<JobLab> {
  const { connectionString, drop } = database ?? (await createTestDatabase())
  const own = openPool({ connectionString, max: 3 })
  const asking = new PgBoss({
    db: { executeSql: (text, values) => own.query(text, values) },
    schema: jobSchema,
    migrate: false,
    supervise: false,
    schedule: false,
  })
  const logged: JobLab['logged'] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closing.reverse()) await close()
    await asking.stop({ graceful: false })
    await own.end()
    await drop()
  })
  await asking.start()
  return {
    connectionString,
    logged,
    takePart(jobs, options = {}) {
      const pool = openPool({ connectionString, max: 5, application_name: 'takes part', pipeline: true, ...options })
      const work = startScheduledWork({
        db: createDatabases(pool).system,
        log,
        jobs,
        timing: { pollSeconds: 1, heartbeatSeconds: 10 },
        startAfterMs: 0,
        startAgainAfterMs: 200,
      })
      let stopped: Promise<void> | undefined
      const stop = () => {
        stopped ??= work.stop().then(() => pool.end())
        return stopped
      }
      closing.push(stop)
      return { stop, pool }
    },
    ask: async (name) => (await asking.send(name, {})) !== null,
    rows: async (text, values = []) => (await own.query(text, values)).rows,
  }
}

function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // Some tests cut the connections under it.
  pool.on('error', () => undefined)
  return pool
}

/** As `until`, for what takes some looks for work, a second apart. */
export const eventually = (what: string, holds: () => unknown) => until(what, holds, 30_000)

/** A job that is never due by itself while a test runs. */
export function rareJob(run: ScheduledJob['run'], name = 'rare'): ScheduledJob {
  return { name, cron: '0 0 29 2 *', run }
}
