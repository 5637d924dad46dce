import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type from 'typebox'
import { startOwnCluster } from '../isolation/own-cluster.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import {
  assertFailed,
  assertFailedAsJson,
  assertSucceeded,
  housebill,
  launch,
  prepareEnvironment,
} from './cli-fixture.ts'

const prepared = await prepareEnvironment()
const cluster = await startOwnCluster()
after(async () => {
  await prepared.drop()
  await cluster.stop()
})
const erase = ['customers', 'erase', '--email', 'ada@example.com']

test('without the environment of the service, a command fails instead of answering from an empty sandbox', async (t) => {
  const folder = await temporaryFolder(t)
  for (const dataDir of [folder, join(folder, 'none')]) {
    for (const command of [['customers', 'export', '--email', 'ada@example.com'], ['operator', 'list'], ['migrate']])
      assertFailed(
        await housebill(command, { DATA_DIR: dataDir }),
        /^There is no database in DATA_DIR .* environment of the service/,
      )
  }
  assertFailedAsJson(await housebill(['operator', 'list', '--json'], { DATA_DIR: folder }), 'no_database')
  assert.deepEqual(await readdir(folder), [])
})

test('a command neither migrates an empty database nor makes keys; migrate makes the tables and nothing else', async (t) => {
  const folder = await temporaryFolder(t)
  const { connectionString } = await cluster.createDatabase('empty')
  const environment = { DATABASE_URL: connectionString, DATA_DIR: folder }
  assertFailed(
    await housebill(['operator', 'list'], environment),
    /there is no .*encryption-keys: commands use the service's keys/,
  )
  const withKeys = { ...environment, ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` }
  assertFailed(await housebill(['operator', 'list'], withKeys), /^The database has none of Housebill's tables\./)
  const migrated = await launch(['migrate', '--json'], environment)
  assertSucceeded(migrated)
  assert.ok(migrated.json(Type.Object({ applied: Type.Array(Type.String()) })).applied.length >= 8)
  assert.deepEqual(await readdir(folder), [])
  assertSucceeded(await housebill(['operator', 'list'], withKeys))
})

test('every answer names the deployment and the database, also that of a failed command', async () => {
  const { environment } = prepared
  const name = new URL(environment.DATABASE_URL ?? '').pathname.slice(1)
  const line = new RegExp(`^Deployment: sandbox at http://localhost:8080\\. Database: ${name} at /.+\\.\\n$`)
  assert.match((await housebill(['operator', 'list'], environment)).deployment, line)
  const failed = await housebill(erase, environment)
  assert.match(failed.deployment, line)
  for (const command of [['audit', 'list'], erase]) {
    const { stdout } = await housebill([...command, '--json'], environment)
    assert.equal(JSON.parse(stdout).deployment.environment, 'sandbox')
    assert.match(JSON.parse(stdout).deployment.database, new RegExp(`^${name} at /`))
  }
})
