import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { makeFolder } from '../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { assertDone, bin, checkout, housebill } from './cli-fixture.ts'
import { Disabled, Issued, Partners, Refusal, Walked } from './printed.ts'

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address === 'object')
  return String(address.port)
}

/** A command that serves, as a process group of its own, once it has printed where. */
async function startServing(t: TestContext, environment: NodeJS.ProcessEnv, program: string, args: readonly string[]) {
  const child: ChildProcess = spawn(program, args, {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  assert.ok(child.stdout !== null && child.stderr !== null && pid !== undefined)
  const logged = text(child.stderr)
  const ended = once(child, 'close')
  t.after(() => {
    // Whatever a failed test has left of the group.
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  })
  const started = (async () => {
    for await (const line of createInterface(child.stdout as Readable)) {
      if (line.startsWith('{')) return JSON.parse(line)
    }
    assert.fail(await logged)
  })()
  const printed = await started
  // What is printed from here on is not read, and must not stop the process.
  child.stdout.resume()
  return { started: printed, child, logged, ended }
}

test('commands work alone and beside the server on the same private database, and a stop is graceful', async (t) => {
  const dataDir = join(await makeFolder(t), 'data')
  const environment = { DATA_DIR: dataDir, PORT: await freePort() }

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

test('a port that is taken is said in a sentence, with --json as an object too', async (t) => {
  const [folder, database] = await Promise.all([makeFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const address = taken.address()
  assert.ok(address !== null && typeof address === 'object')
  const environment = {
    DATABASE_URL: database.connectionString,
    DATA_DIR: folder,
    PORT: String(address.port),
    LOG_LEVEL: 'silent',
  }
  const run = await housebill(['serve', '--json'], environment)
  assert.equal(run.code, 1)
  assert.equal(run.json(Refusal).error.code, 'port_in_use')
  assert.equal(run.stderr, 'The port is in use already. Stop what listens there, or set PORT to another one.\n')
})

test('npm start passes a stop on to the server, which ends gracefully', async (t) => {
  const [folder, database] = await Promise.all([makeFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const own = { DATABASE_URL: database.connectionString, DATA_DIR: folder, HOME: folder }
  const environment = {
    ...own,
    PORT: await freePort(),
    npm_config_cache: join(folder, 'npm'),
    npm_config_offline: 'true',
  }
  const { child, logged, ended } = await startServing(t, environment, 'npm', ['start', '--', '--json'])
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.match(await logged, /"signal":"SIGTERM","msg":"stopping"\}\n[\s\S]*"msg":"stopped"\}\n$/)
})
