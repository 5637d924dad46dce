// A process for a test to kill: it runs a scheduled job that never ends. Argument: the database's URL. Prints "running" once the job
// runs.
import { Pool } from 'pg'
import { pino } from 'pino'
import { createDatabases } from '../../src/db/databases.ts'
import { startScheduler } from '../../src/worker/jobs/scheduler.ts'
import { rareJob } from './scheduler-fixture.ts'

startScheduler({
  db: createDatabases(new Pool({ connectionString: process.argv[2], pipeline: true })).system,
  log: pino({ level: 'silent' }),
  jobs: [
    rareJob(async () => {
      process.stdout.write('running\n')
      await new Promise(() => undefined)
    }),
  ],
  timing: { startAfterMs: 0, longestPauseMs: 100 },
})
