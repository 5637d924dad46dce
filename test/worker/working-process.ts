// A process that takes part in scheduled work and never ends its job, to be killed by a test. Argument: the database's URL.
// Says "running" once the job runs.
import { Pool } from 'pg'
import { pino } from 'pino'
import { createDatabases } from '../../src/db/databases.ts'
import { startScheduledWork } from '../../src/worker/scheduled-work.ts'
import { rareJob } from './scheduled-work-fixture.ts'

startScheduledWork({
  db: createDatabases(new Pool({ connectionString: process.argv[2], pipeline: true })).system,
  log: pino({ level: 'silent' }),
  jobs: [
    rareJob(async () => {
      process.stdout.write('running\n')
      await new Promise(() => undefined)
    }),
  ],
  timing: { pollSeconds: 1, heartbeatSeconds: 10 },
  startAfterMs: 0,
})
