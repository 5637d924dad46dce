import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { serve } from '../../src/app/serve.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { isRoot, temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { findFreePort } from '../support/service.ts'
import { assertFailed, bin, housebill, launch, runProgram } from './cli-fixture.ts'
import { CommandError } from './command-output.ts'
import { openTerminal, startServing } from './serving-process.ts'

async function takePort(t: TestContext): Promise<string> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const address = taken.address()
  assert.ok(address !== null && typeof address === 'object')
  return String(address.port)
}

/**
 * Runs `housebill serve` without root's privileges, so it cannot write to protected folders or listen on privileged
 * ports.
 */
function serveAsOrdinaryUser(environment: NodeJS.ProcessEnv) {
  const command = [process.execPath, bin, 'serve']
  const limited = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', ...command] : command
  const [program = '', ...args] = limited
  return runProgram(program, args, environment)
}

/** Asserts that the command printed only this line and exited with code 1. */
function assertOneLine(run: { code: number | null; stdout: string; stderr: string }, line: string): void {
  assert.deepEqual(
    { code: run.code, stdout: run.stdout, stderr: run.stderr },
    { code: 1, stdout: '', stderr: `${line}\n` },
  )
}

test('starting on a port that is in use creates nothing and names the port in the error, which is a JSON object with --json', async (t) => {
  const folder = await temporaryFolder(t)
  const port = await takePort(t)
  const run = await launch(['serve', '--json'], { DATA_DIR: join(folder, 'data'), PORT: port })
  assert.equal(run.code, 1)
  assert.equal(run.json(CommandError).error.code, 'port_in_use')
  const line = `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set PORT to another port.\n`
  assert.equal(run.stderr, line)
  assert.deepEqual(await readdir(folder), [])
})

test('starting on a port that this user may not use fails with an error that names the port', async (t) => {
  const folder = await temporaryFolder(t)
  const first = Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  // Containers often let every user listen on every port.
  if (first <= 80) return t.diagnostic('every user of this machine may listen on port 80')
  const run = await serveAsOrdinaryUser({ DATA_DIR: join(folder, 'data'), PORT: '80' })
  assertOneLine(run, 'This user may not listen on port 80. Set PORT to 1024 or higher.')
  assert.deepEqual(await readdir(folder), [])
})

test('if another program takes the port during the start, the secret is not lost: the next start creates and shows it', async (t) => {
  const [folder, database] = await Promise.all([temporaryFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const environment = { DATABASE_URL: database.connectionString, DATA_DIR: folder, LOG_LEVEL: 'silent' }
  const config = buildConfig({ ...environment, PORT: await takePort(t) })
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  const starting = serve({ config, secrets, log: createLogger('silent') })
  await assert.rejects(starting, { name: 'CommandError', code: 'port_in_use' })

  const next = { ...environment, PORT: String(await findFreePort()) }
  const { started, child, ended } = await startServing(t, next, process.execPath, [bin, 'serve', '--json'])
  assert.match(started.clientSecret, /^sk_/)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('an unusable DATA_DIR is reported in one line, whatever the reason', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'file')
  await writeFile(file, '')
  await mkdir(join(folder, 'closed'), { mode: 0o500 })
  const remedy = 'Set DATA_DIR to a folder that this user can write to.'
  const cases = [
    [file, 'a file with this name exists'],
    [join(file, 'data'), 'part of the path is a file'],
    [join(folder, 'closed'), 'permission denied'],
    [join(folder, 'closed', 'data'), 'permission denied'],
    ...(process.platform === 'linux' ? ([['/proc/housebill', 'this folder cannot be created']] as const) : []),
  ] as const
  const runs = await Promise.all(
    cases.map(async ([dataDir]) => serveAsOrdinaryUser({ DATA_DIR: dataDir, PORT: String(await findFreePort()) })),
  )
  for (const [index, [dataDir, reason]] of cases.entries()) {
    const run = runs[index]
    assert.ok(run !== undefined)
    assertOneLine(run, `DATA_DIR cannot be used: ${dataDir}: ${reason}. ${remedy}`)
  }
  const command = await housebill(['operator', 'list'], { DATA_DIR: file })
  assertFailed(command, /^DATA_DIR cannot be used: .*: a file with this name exists\. Set DATA_DIR/)
})

test('on a terminal, the readable lines come first and nothing is logged as JSON; Ctrl-C stops the server', async (t) => {
  const [folder, database] = await Promise.all([temporaryFolder(t), createTestDatabase()])
  t.after(() => database.drop())
  const environment = { DATABASE_URL: database.connectionString, DATA_DIR: folder, PORT: String(await findFreePort()) }
  const { printed, press, ended } = openTerminal(t, `${process.execPath} ${bin} serve`, environment)
  await printed(/Stop with Ctrl-C\./)
  press('\u0003')
  assert.equal(await ended, 0)
  const text = await printed(/Stopping\./)
  assert.match(text, /^Starting Housebill\..*\r\n\r\nHousebill sandbox is ready at /)
  assert.doesNotMatch(text, /^\{/m)
})
