import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { Agent, fetch } from 'undici'
import type { DemoPartner } from '../../scripts/demo/make-households.ts'
import { createLogger } from '../../src/app/logger.ts'
import { startRehearsal } from '../../src/app/rehearsal.ts'
import { serve } from '../../src/app/serve.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { connectPartner } from '../support/client.ts'
import { isRoot, temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { readLiveOperator } from '../support/operator.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { succeeded } from '../support/responses.ts'
import { findFreePort } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { assertFailed, assertSucceeded, bin, checkout, housebill, launch, runProgram } from './cli-fixture.ts'
import { CommandError, IssuedCredentials, JourneyOutput } from './command-output.ts'
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

test("in a rehearsal the unchanged program starts with live's rules and takes a household up to its contract", async (t) => {
  const folder = await temporaryFolder(t)
  const operatorFile = join(folder, 'operator.json')
  await writeFile(operatorFile, JSON.stringify(await readLiveOperator()))
  const port = await findFreePort()
  const start = () =>
    startRehearsal({ folder: join(folder, 'rehearsal'), operatorFile, port, given: {}, log: createLogger('silent') })
  const first = await start()
  const settings = await readFile(first.environmentFile, 'utf8')
  assert.equal((await stat(first.environmentFile)).mode & 0o777, 0o600)
  await first.stop()
  const rehearsal = await start()
  assert.equal(
    await readFile(rehearsal.environmentFile, 'utf8'),
    settings,
    'a second run goes on with the same settings',
  )

  const written = parseEnv(settings)
  const environment: NodeJS.Dict<string> = { ...written, LOG_LEVEL: 'warn' }
  assert.equal(written.HOUSEBILL_ENV, 'live')
  const run = async (...args: string[]) => {
    // What connects over TLS needs a process of its own, which reads NODE_EXTRA_CA_CERTS.
    const isConnecting = args.includes('--connect') || args[0] === 'journey'
    const result = await (isConnecting ? launch : housebill)(args, environment)
    assert.equal(result.code, 0, `${args.join(' ')}: ${result.stdout}${result.stderr}`)
    return result
  }
  try {
    await run('migrate')
    const check = JSON.parse((await run('config', 'check', '--connect', '--json')).stdout) as { connected: string[] }
    assert.deepEqual(check.connected, ['database', 'Stripe', 'home telecom provider', 'broadband database'])
    await run('rates', 'publish', 'reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json')
    const homes = join(folder, 'homes.csv')
    await run('addresses', 'generate', '--count', '3', '--out', homes)
    await run('addresses', 'import', homes)
    const [postcode = ''] = /\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/.exec(await readFile(homes, 'utf8')) ?? []
    const { clientId, clientSecret } = JSON.parse(
      (await run('partner', 'create', '--name', 'Rehearsal', '--json')).stdout,
    )
    const service = await startServing(t, { ...environment, ...loopbackOnlyEnvironment }, process.execPath, [
      bin,
      'serve',
      '--json',
    ])
    const baseUrl = `https://localhost:${port}`
    Object.assign(environment, { SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret })
    const walked = await run(
      ...[
        'journey',
        '--base-url',
        baseUrl,
        '--postcode',
        postcode,
        '--tenants',
        '1',
        '--out',
        join(folder, 'out'),
        '--json',
      ],
    )
    const { outcome, cardNeeded } = walked.json(JourneyOutput)
    assert.deepEqual([outcome, cardNeeded?.because], ['card_needed', 'not_a_sandbox'])
    const { setupIntentId = '', customerId } = cardNeeded ?? {}
    const confirmed = await promisify(execFile)(rehearsal.confirmScript, [setupIntentId])
    assert.equal(JSON.parse(confirmed.stdout).status, 'succeeded')

    const dispatcher = new Agent({ connect: { ca: await readFile(written.NODE_EXTRA_CA_CERTS ?? '', 'utf8') } })
    t.after(() => dispatcher.close())
    const call = async (path: string, headers: Record<string, string>, body?: URLSearchParams) => {
      const method = body === undefined && !path.endsWith('accept-terms') ? 'GET' : 'POST'
      const response = await fetch(`${baseUrl}/partner-api${path}`, { dispatcher, method, headers, body: body ?? null })
      return (await response.json()) as Record<string, string>
    }
    const credentials = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
    const { access_token: token } = await call('/Auth/token', {}, new URLSearchParams(credentials))
    const headers = { authorization: `Bearer ${token}` }
    // The simulated processor has told the service over TLS.
    await waitFor(
      'the card is known',
      () => call(`/Customers/${customerId}`, headers),
      ({ paymentStatus }) => paymentStatus === 'ready',
    )
    const accepted = await call(`/Customers/${customerId}/accept-terms`, { ...headers, 'idempotency-key': 'rehearsed' })
    assert.equal(accepted.status, 'OnboardingComplete', JSON.stringify(accepted))
    service.child.kill('SIGTERM')
    await service.ended
  } finally {
    await rehearsal.stop()
  }
})

test('npm run demo makes its households, serves until it is stopped, and goes on with them at the next start', async (t) => {
  const folder = join(await temporaryFolder(t), 'demo')
  const start = async (households: number) => {
    const child = spawn(process.execPath, ['scripts/demo.ts', '--data', folder, '--households', String(households)], {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...loopbackOnlyEnvironment, PORT: String(await findFreePort()) },
    })
    t.after(() => child.kill('SIGKILL'))
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (line.startsWith('Stop with')) break
    }
    return { child, said: lines.join('\n') }
  }
  const stop = async (child: ChildProcess) => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  }
  const first = await start(15)
  assert.match(first.said, /15 households of Northgate Lettings and Campus Homes/)
  await stop(first.child)
  const second = await start(30)
  assert.match(second.said, /15 households/)
  const { partners } = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as { partners: DemoPartner[] }
  const url = new URL(/Workplace\s+(\S+)/.exec(second.said)?.[1] ?? '').origin
  const own = await Promise.all(partners.map((credentials) => connectPartner(url, credentials)))
  const outcomes = new Set<string | null>()
  for (const partner of own) {
    // Sends what is due.
    succeeded(await partner.post('/Sandbox/clock/advance', { seconds: 1 }))
    for (const { customerId } of succeeded(await partner.get('/Customers')).data)
      for (const { outcome } of succeeded(await partner.get(`/Customers/${customerId}/emails`)).emails)
        outcomes.add(outcome)
  }
  assert.ok(outcomes.has('given_up') && outcomes.has('sent'))
  await stop(second.child)
})
