import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { composeCipher } from '../../../src/app/compose.ts'
import { routes } from '../../../src/app/http/routes.ts'
import { createLogger } from '../../../src/app/logger.ts'
import { type RunningService, serve } from '../../../src/app/serve.ts'
import { createPartner, type IssuedCredentials } from '../../../src/partners/managing/create-partner.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { systemClock } from '../../../src/platform/kernel/clock.ts'
import { call, connectPartner } from '../../support/client.ts'
import { createSeparateLogins } from '../../support/databases.ts'
import { readLiveOperator } from '../../support/live-operator.ts'
import { withDatabase } from '../../support/partners.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { findFreePort } from '../../support/service.ts'

const encryptionKeys = `live-1:${randomBytes(32).toString('base64')}`
let database: TestDatabase
let folder: string
let live: RunningService
let baseUrl: string
const warnings: string[] = []
let credentials: IssuedCredentials

/** Starts a live deployment. Its upstreams do not exist, but no test in this file calls them. */
async function startLive(operatorFile: string, keys = encryptionKeys): Promise<RunningService> {
  const port = await findFreePort()
  baseUrl = `http://127.0.0.1:${port}`
  const environment = {
    HOUSEBILL_ENV: 'live',
    PORT: String(port),
    PUBLIC_URL: 'https://bills.example',
    ...(await createSeparateLogins(database.connectionString)),
    ENCRYPTION_KEYS: keys,
    ERASURE_LEDGER: join(folder, 'erasures.jsonl'),
    OPERATOR_FILE: operatorFile,
    HOME_TELECOM_URL: 'http://127.0.0.1:9',
    BROADBAND_DATABASE_URL: 'http://127.0.0.1:9',
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: ['sk', 'live', 'nobody'].join('_'),
    STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
    STRIPE_API_BASE: 'https://127.0.0.1:9',
    LOG_LEVEL: 'warn',
  }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  return serve({ config, secrets, log: createLogger('warn', { write: (line) => void warnings.push(line) }) })
}

const sampleOperator = new URL('../../../reference-data/operator.sample.json', import.meta.url)

before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'housebill-live-'))
  const operator = await readLiveOperator()
  await writeFile(join(folder, 'operator.json'), JSON.stringify(operator))
  live = await startLive(join(folder, 'operator.json'))
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

test('live has no sandbox operations', async () => {
  const partner = await connectPartner(baseUrl, credentials)
  const steering = routes.filter(({ sandboxOnly }) => sandboxOnly)
  assert.ok(steering.length >= 4)
  for (const { method, path } of steering) {
    const url = `/partner-api${path.replace(/\{\w+\}/, 'x')}`
    const headers = { Authorization: `Bearer ${partner.token}` }
    const response = await fetch(`${baseUrl}${url}`, { method, headers })
    assert.equal(response.status, 404, url)
    assert.equal(((await response.json()) as { code: string }).code, 'not_found')
  }
})

test('a live deployment has no card page of the simulated processor', async () => {
  rejected(await call(baseUrl, 'GET', '/sandbox/card-setup/seti_anything'), 404, 'not_found')
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

test('a live deployment has no sample property and no sample rate card', async () => {
  const partner = await connectPartner(baseUrl, credentials)
  for (const postcode of ['TE5 7AA', 'NR4 7TJ'])
    assert.deepEqual(succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)), [])
  const cards = await withDatabase({ connectionString: database.connectionString }, (db) =>
    db.pool.query('select count(*)::int from rate_cards'),
  )
  assert.deepEqual(cards.rows, [{ count: 0 }])
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
