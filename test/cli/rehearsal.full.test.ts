import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv, promisify } from 'node:util'
import { Agent, fetch } from 'undici'
import { createLogger } from '../../src/app/logger.ts'
import { startRehearsal } from '../../src/app/rehearsal.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { readLiveOperator } from '../support/live-operator.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { findFreePort } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { bin, housebill, launch } from './cli-fixture.ts'
import { JourneyOutput } from './command-output.ts'
import { startServing } from './serving-process.ts'

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
