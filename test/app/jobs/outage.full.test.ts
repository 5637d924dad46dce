import { after, test } from 'node:test'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { readMigrations } from '../../../src/platform/db/newer-version.ts'
import { startOwnCluster } from '../../isolation/own-cluster.ts'
import { waitFor } from '../../support/wait-for.ts'
import { openJobLab, rareJob } from './scheduler-fixture.ts'

const cluster = await startOwnCluster()
after(() => cluster.stop())

test('after PostgreSQL has crashed, a scheduled job runs again without a restart of its process', async (t) => {
  const database = await cluster.createDatabase('jobs')
  await migrate(database.connectionString, await readMigrations('live'))
  const lab = await openJobLab(t, database)
  let runs = 0
  lab.takePart([
    rareJob(async () => {
      runs += 1
    }),
  ])
  await lab.isDeclared('rare')
  for (let round = 1; round <= 2; round += 1) {
    await waitFor('it is due', () => lab.ask('rare'))
    await waitFor('it is run', () => runs === round)
    if (round === 1) await cluster.crash()
  }
})
