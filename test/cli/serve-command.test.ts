import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Type from 'typebox'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { freePort } from '../support/service.ts'
import { assertDone, bin, housebill } from './cli-fixture.ts'
import { Disabled, Issued, Partners, Walked } from './printed.ts'
import { startServing } from './serving-process.ts'

test('commands work alone and beside the server on the same private database, and a stop is graceful', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) }

  const migrated = await housebill(['migrate', '--json'], environment)
  assertDone(migrated)
  assert.ok(migrated.json(Type.Object({ applied: Type.Array(Type.String()) })).applied.length >= 8)
  const again = await housebill(['migrate'], environment)
  assertDone(again)
  assert.match(again.stdout, /up to date/)
  const alone = await housebill(['partner', 'create', '--name', 'Made before', '--json'], environment)
  assertDone(alone)
  const noCards = await housebill(['rates', 'list'], environment)
  assertDone(noCards)
  assert.match(noCards.stdout, /^No rate card is published/)

  const { started, child, logged, ended } = await startServing(t, environment, process.execPath, [
    bin,
    'serve',
    '--json',
  ])
  assert.equal(started.publicUrl, `http://localhost:${environment.PORT}`)
  assert.equal(started.dataDir, dataDir)
  const beside = await housebill(['partner', 'list', '--json'], environment)
  assertDone(beside)
  assert.deepEqual(
    beside.json(Partners).partners.map(({ name }) => name),
    ['Made before', 'Sandbox partner'],
  )
  const { clientId, clientSecret } = alone.json(Issued)
  const credentials = { SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
  const out = join(dataDir, 'contracts')
  const walked = await housebill(['journey', '--tenants', '1', '--out', out, '--json'], {
    ...environment,
    ...credentials,
  })
  assertDone(walked)
  assert.equal(walked.json(Walked).outcome, 'completed')

  // npm passes on the interrupt that the terminal has sent to everyone.
  child.kill('SIGINT')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"signal":"SIG\w+","msg":"stopping"\}\n[\s\S]*"msg":"stopped"\}\n$/)

  const after = await housebill(['partner', 'disable', started.clientId, '--json'], environment)
  assertDone(after)
  assert.equal(after.json(Disabled).name, 'Sandbox partner')
})

test('npm start passes a stop on to the server, which ends gracefully', async (t) => {
  const [folder, database] = await Promise.all([temporaryFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const own = { DATABASE_URL: database.connectionString, DATA_DIR: folder, HOME: folder }
  const environment = {
    ...own,
    PORT: String(await freePort()),
    npm_config_cache: join(folder, 'npm'),
    npm_config_offline: 'true',
  }
  const { child, logged, ended } = await startServing(t, environment, 'npm', ['start', '--', '--json'])
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"signal":"SIGTERM","msg":"stopping"\}\n[\s\S]*"msg":"stopped"\}\n$/)
})
