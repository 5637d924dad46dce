import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { findFreePort } from '../support/service.ts'
import { assertSucceeded, bin, launch } from './cli-fixture.ts'
import { IssuedCredentials, JourneyOutput } from './command-output.ts'
import { startServing } from './serving-process.ts'

test('commands work on the private database with and without a running server, and the server stops gracefully', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const environment = { DATA_DIR: dataDir, PORT: String(await findFreePort()) }

  const first = await startServing(t, environment, process.execPath, [bin, 'serve', '--json'])
  first.child.kill('SIGTERM')
  assert.deepEqual(await first.ended, [0, null])
  const again = await launch(['migrate'], environment)
  assertSucceeded(again)
  assert.match(again.stdout, /up to date/)
  const alone = await launch(['partner', 'create', '--name', 'Made before', '--json'], environment)
  assertSucceeded(alone)

  const { started, child, logged, ended } = await startServing(t, environment, process.execPath, [
    bin,
    'serve',
    '--json',
  ])
  assert.equal(started.publicUrl, `http://localhost:${environment.PORT}`)
  assert.equal(started.dataDir, dataDir)
  assertSucceeded(await launch(['operator', 'list', '--json'], environment))
  const { clientId, clientSecret } = alone.json(IssuedCredentials)
  const credentials = { SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
  const out = join(dataDir, 'contracts')
  const walked = await launch(['journey', '--tenants', '1', '--out', out, '--json'], {
    ...environment,
    ...credentials,
  })
  assertSucceeded(walked)
  assert.equal(walked.json(JourneyOutput).outcome, 'completed')

  // The terminal sends the interrupt to both processes, and npm forwards it once more.
  child.kill('SIGINT')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"signal":"SIG\w+","msg":"stopping"\}\n[\s\S]*"msg":"stopped"\}\n$/)

  assertSucceeded(await launch(['partner', 'create', '--name', 'Made after', '--json'], environment))
})

test('npm start forwards a stop signal to the server, which stops gracefully', async (t) => {
  const [folder, database] = await Promise.all([temporaryFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const own = { DATABASE_URL: database.connectionString, DATA_DIR: folder, HOME: folder }
  const environment = {
    ...own,
    PORT: String(await findFreePort()),
    npm_config_cache: join(folder, 'npm'),
    npm_config_offline: 'true',
  }
  const { child, logged, ended } = await startServing(t, environment, 'npm', ['start', '--', '--json'])
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"signal":"SIGTERM","msg":"stopping"\}\n[\s\S]*"msg":"stopped"\}\n$/)
})
