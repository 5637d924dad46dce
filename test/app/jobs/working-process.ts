// A process for a test to kill: it runs a scheduled job that never ends. Argument: the database's URL. Prints "running"
// once the job runs.
import { pino } from 'pino'
import { startScheduler } from '../../../src/platform/jobs/scheduler.ts'
import { openDatabases } from '../../support/databases.ts'
import { rareJob } from './scheduler-fixture.ts'

startScheduler({
  db: (await openDatabases(process.argv[2] ?? '')).system,
  log: pino({ level: 'silent' }),
  jobs: [
    rareJob(async () => {
      process.stdout.write('running\n')
      await new Promise(() => undefined)
    }),
  ],
  timing: { startAfterMs: 0, longestPauseMs: 100 },
})
