import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { composeCipher } from '../../../src/app/compose.ts'
import { operatorRoutes } from '../../../src/app/http/operator-routes.ts'
import { routes } from '../../../src/app/http/routes.ts'
import { createLogger } from '../../../src/app/logger.ts'
import { type RunningService, serve } from '../../../src/app/serve.ts'
import { createPartner, type IssuedCredentials } from '../../../src/partners/managing/create-partner.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { systemClock } from '../../../src/platform/kernel/clock.ts'
import { seedSamples } from '../../../src/sandbox/samples/sample-properties.ts'
import { call, connectPartner, type Partner } from '../../support/client.ts'
import { createSeparateLogins } from '../../support/databases.ts'
import { connectOperator, readLiveOperator } from '../../support/operator.ts'
import { withDatabase } from '../../support/partners.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { findFreePort } from '../../support/service.ts'

const encryptionKeys = `live-1:${randomBytes(32).toString('base64')}`
let database: TestDatabase
let folder: string
let live: RunningService
let baseUrl: string
const warnings: string[] = []
let credentials: IssuedCredentials
let partner: Partner

/** The settings of a live deployment. Its processor does not exist, but no test in this file calls it. */
async function liveEnvironment(operatorFile: string, keys = encryptionKeys) {
  const port = await findFreePort()
  baseUrl = `http://127.0.0.1:${port}`
  return {
    HOUSEBILL_ENV: 'live',
    PORT: String(port),
    PUBLIC_URL: 'https://bills.example',
    ...(await createSeparateLogins(database.connectionString)),
    ENCRYPTION_KEYS: keys,
    ERASURE_LEDGER: join(folder, 'erasures.jsonl'),
    OPERATOR_FILE: operatorFile,
    RATE_LIMIT_PER_SECOND: '10000',
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: ['sk', 'live', 'nobody'].join('_'),
    STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
    STRIPE_API_BASE: 'https://127.0.0.1:9',
    LOG_LEVEL: 'warn',
  }
}

async function startLive(operatorFile: string, keys?: string): Promise<RunningService> {
  const environment = await liveEnvironment(operatorFile, keys)
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  return serve({ config, secrets, log: createLogger('warn', { write: (line) => void warnings.push(line) }) })
}

const sampleOperator = new URL('../../../reference-data/operator.sample.json', import.meta.url)

const servers: Server[] = []
const { listen } = Server.prototype

before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'housebill-live-'))
  const operator = await readLiveOperator()
  await writeFile(join(folder, 'operator.json'), JSON.stringify(operator))
  const counting = mock.method(Server.prototype, 'listen', function (this: Server, ...given: unknown[]) {
    servers.push(this)
    return Reflect.apply(listen, this, given)
  })
  live = await startLive(join(folder, 'operator.json'))
  counting.mock.restore()
  credentials = await withDatabase({ connectionString: database.connectionString }, async (db) =>
    createPartner(
      {
        db,
        clock: systemClock,
        cipher: await composeCipher(db, await loadSecrets({ ENCRYPTION_KEYS: encryptionKeys }, 'live', folder)),
        realm: 'live',
      },
      { name: 'A live partner' },
    ),
  )
  partner = await connectPartner(baseUrl, credentials)
})
after(async () => {
  await live.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

test('a live service creates no partner automatically, and the credentials created in it begin with live_', async () => {
  assert.match(credentials.clientId, /^live_/)
  const partners = await withDatabase({ connectionString: database.connectionString }, (db) =>
    db.pool.query('select name from partners'),
  )
  assert.deepEqual(partners.rows, [{ name: 'A live partner' }])
})

test('a live service listens on its own port alone, so no simulator runs', () => {
  assert.equal(servers.filter((server) => server.listening).length, 1)
})

/** Bypasses the test client, because that client checks responses against the sandbox's API document. */
async function answerTo(method: string, path: string, token: string, wanted?: string) {
  const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'the-same' }
  const header = wanted === undefined ? {} : { 'Housebill-Test-Error': wanted }
  const response = await fetch(`${baseUrl}${path}`, { method, headers: { ...headers, ...header } })
  // Leaves out the time at which a report was counted.
  return { status: response.status, text: (await response.text()).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '') }
}

test('in live, a path that only a sandbox has returns the same 404 as any unknown path', async () => {
  const steering = routes.filter(({ sandboxOnly }) => sandboxOnly)
  assert.ok(steering.length >= 4 && steering.every(({ path }) => path.startsWith('/Sandbox/')))
  const nothing = await answerTo('GET', '/partner-api/Nothing', partner.token)
  assert.equal(nothing.status, 404)
  for (const { method, path } of steering) {
    const filled = `/partner-api${path.replace(/\{\w+\}/, 'quote_01h455vb4pex5vsknk084sn02q')}`
    assert.deepEqual(await answerTo(method, filled, partner.token), nothing)
  }
  rejected(await call(baseUrl, 'GET', '/sandbox/card-setup/seti_anything'), 404, 'not_found')
})

test('in live, no operation obeys Housebill-Test-Error, whatever it says', async () => {
  const environment = await liveEnvironment(join(folder, 'operator.json'))
  baseUrl = `http://127.0.0.1:${live.port}`
  const { connectionString } = database
  const operator = await connectOperator({ baseUrl, connectionString, environment, config: buildConfig(environment) })
  const every = [
    ...routes.map((route) => ({ ...route, root: 'partner-api', token: partner.token })),
    ...operatorRoutes.map((route) => ({ ...route, root: 'operator-api', token: operator.token })),
  ]
  for (const { operationId, method, path, root, token } of every) {
    const filled = `/${root}${path.replace(/\{\w+\}/g, 'quote_01h455vb4pex5vsknk084sn02q')}`
    const plain = await answerTo(method, filled, token)
    assert.notEqual(plain.status, 429)
    for (const wanted of ['internal_error', 'service_unavailable; when=after; delay=30000', 'no error; at all'])
      assert.deepEqual(await answerTo(method, filled, token, wanted), plain, operationId)
  }
})

test('live without an identity provider for the operator’s people has no desk, and nobody signs in by saying who they are', async () => {
  assert.equal((await fetch(`${baseUrl}/desk`)).status, 404)
  assert.equal((await fetch(`${baseUrl}/desk/sign-in`)).status, 404)
  assert.match(warnings.join(''), /there is no \/desk: DESK_ISSUER names no identity provider/)
  const workplace = await (await fetch(`${baseUrl}/workplace`)).text()
  assert.match(workplace, /sends no e-mails/)
  assert.doesNotMatch(workplace, /Simulated/)
})

test('in live, the API document and pages do not mention a sandbox, and links use the public address', async () => {
  const document = await call(baseUrl, 'GET', '/openapi.json')
  assert.ok(!document.text.includes('/Sandbox/'))
  const { servers } = succeeded(document) as { servers: unknown }
  assert.deepEqual(servers, [{ url: 'https://bills.example', description: 'live', 'x-internal': false }])
  const metadata = await call(baseUrl, 'GET', '/.well-known/oauth-authorization-server')
  assert.equal(succeeded(metadata).issuer, 'https://bills.example')
  const problem = rejected(await call(baseUrl, 'GET', '/nothing'), 404, 'not_found')
  assert.equal(problem.type, 'https://bills.example/docs/errors/not_found')
})

test('a live deployment has no sample property, and sells nothing until a rate card is published', async () => {
  for (const postcode of ['TE5 7AA', 'NR4 7TJ'])
    assert.deepEqual(succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)), [])
  assert.deepEqual(succeeded(await partner.get('/Quotes/quoting-tool-versions')), { versions: [] })
})

test('the reference of live gets no token without credentials', async () => {
  const headers = { origin: 'https://bills.example' }
  assert.equal((await fetch(`${baseUrl}/docs/reference/token`, { method: 'POST', headers })).status, 404)
  assert.doesNotMatch(await (await fetch(`${baseUrl}/docs/reference`)).text(), /data-token/)
})

test('the landing page of live names the operator, says how to get credentials, and has no button', async () => {
  const page = await (await fetch(baseUrl)).text()
  assert.match(page, /<h1>Northern Bills sells household bills/)
  assert.match(page, /To become a partner, write to Northern Bills: <a href="mailto:/)
  assert.match(page, /API=https:\/\/bills\.example\/partner-api/)
  assert.doesNotMatch(page, /<form|SANDBOX|in your sandbox/)
  assert.equal((await fetch(baseUrl, { method: 'POST' })).status, 405)
})

test('without a provider of broadband, no property has any, and nothing is reported as down', async () => {
  await withDatabase({ connectionString: database.connectionString }, (db) => seedSamples(db))
  const { addressUid } = ordinaryProperty()
  const checked = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  assert.deepEqual([checked.available, checked.products, checked.homeTelecomError], [false, [], false])
})

test('live does not start if the file changes the text of a stored version of the terms, and says what to do', async () => {
  const running = baseUrl
  const operator = JSON.parse(await readFile(join(folder, 'operator.json'), 'utf8'))
  const write = async (terms: object) => {
    const file = join(folder, 'changed.json')
    await writeFile(file, JSON.stringify({ ...operator, terms: { ...operator.terms, ...terms } }))
    return file
  }
  await assert.rejects(
    startLive(await write({ deposit: 'A deposit of £50.' })),
    /OPERATOR_FILE changes the terms of version .*Give the changed terms a new terms\.version, or restore/,
  )
  const renamed = await startLive(await write({ deposit: 'A deposit of £50.', version: 'next' }))
  try {
    const old = await fetch(`${baseUrl}/terms/${operator.terms.version}`)
    assert.equal(old.status, 200)
    assert.doesNotMatch(await old.text(), /A deposit of £50/)
    assert.match(await (await fetch(`${baseUrl}/terms/next`)).text(), /A deposit of £50/)
  } finally {
    await renamed.stop()
    baseUrl = running
  }
})

test("live does not start with the sample operator's file, or with keys that do not open its database", async () => {
  const running = baseUrl
  await assert.rejects(startLive(sampleOperator.pathname), /OPERATOR_FILE is the sample/)
  const { sample: _flag, ...unmarked } = JSON.parse(await readFile(sampleOperator, 'utf8'))
  await writeFile(join(folder, 'unmarked.json'), JSON.stringify(unmarked))
  await assert.rejects(
    startLive(join(folder, 'unmarked.json')),
    /the sample's words in \/trader\/name: .*\/complaints\/email/s,
  )
  const otherKeys = `live-1:${randomBytes(32).toString('base64')}`
  await assert.rejects(
    startLive(join(folder, 'operator.json'), otherKeys),
    /ENCRYPTION_KEYS .* cannot decrypt this database/,
  )
  assert.equal((await fetch(`${running}/health/ready`)).status, 200, 'the running service is not affected')
})
