import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { composeCipher } from '../../src/app/compose.ts'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { createLogger } from '../../src/app/logger.ts'
import { serve } from '../../src/app/serve.ts'
import { createPartner } from '../../src/partners/managing/create-partner.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import type { Environment } from '../../src/platform/config/env.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { connectPartner } from '../support/client.ts'
import { createSeparateLogins } from '../support/databases.ts'
import { readLiveOperator } from '../support/live-operator.ts'
import { connectOperator } from '../support/operator.ts'
import { withDatabase } from '../support/partners.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { succeeded } from '../support/responses.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-live-'))
const operatorFile = join(folder, 'operator.json')
await writeFile(operatorFile, JSON.stringify(await readLiveOperator()))
const database = await createTestDatabase()
const environment: Environment = {
  HOUSEBILL_ENV: 'live',
  PUBLIC_URL: 'https://bills.example',
  RATE_LIMIT_PER_SECOND: '10000',
  ...(await createSeparateLogins(database.connectionString)),
  DATA_DIR: folder,
  ENCRYPTION_KEYS: `live-1:${randomBytes(32).toString('base64')}`,
  ERASURE_LEDGER: join(folder, 'erasures.jsonl'),
  OPERATOR_FILE: operatorFile,
  HOME_TELECOM_URL: 'https://telecom.example',
  BROADBAND_DATABASE_URL: 'https://broadband-database.example',
  PAYMENT_PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: ['sk', 'live', 'abcdefghijklmnop'].join('_'),
  STRIPE_WEBHOOK_SECRET: 'whsec_abcdefghijklmnop',
}
const built = buildConfig(environment)
const config = { ...built, server: { ...built.server, port: 0 } }
const secrets = await loadSecrets(environment, config.realm, config.dataDir)
const service = await serve({ config, secrets, log: createLogger('silent') })
after(async () => {
  await service.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})
const baseUrl = `http://127.0.0.1:${service.port}`
const { connectionString } = database
const credentials = await withDatabase(database, async (db) =>
  createPartner(
    { db, clock: systemClock, cipher: await composeCipher(db, secrets), realm: 'live' },
    { name: 'A live partner' },
  ),
)
const partner = await connectPartner(baseUrl, credentials)

/** Bypasses the test client, because that client checks responses against the sandbox's API document. */
async function textOf(method: string, path: string): Promise<string> {
  const response = await fetch(`${baseUrl}/partner-api${path}`, {
    method,
    headers: { Authorization: `Bearer ${partner.token}`, 'X-Request-Id': 'the-same' },
  })
  assert.equal(response.status, 404)
  return response.text()
}

test('in the live environment, a sandbox-only path returns the same 404 as any unknown path', async () => {
  const steering = routes.filter(({ sandboxOnly }) => sandboxOnly)
  assert.ok(steering.length >= 4 && steering.every(({ path }) => path.startsWith('/Sandbox/')))
  const nothing = await textOf('GET', '/Nothing')
  for (const { method, path } of steering)
    assert.equal(await textOf(method, path.replace(/\{\w+\}/, 'quote_01h455vb4pex5vsknk084sn02q')), nothing)
})

test('in the live environment, no operation obeys Housebill-Test-Error, whatever it says', async () => {
  const answerTo = async (method: string, url: string, token: string, wanted?: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'the-same' }
    const header = wanted === undefined ? {} : { 'Housebill-Test-Error': wanted }
    const response = await fetch(url, { method, headers: { ...headers, ...header } })
    return { status: response.status, text: await response.text() }
  }
  const operator = await connectOperator({ baseUrl, connectionString, environment, config })
  const every = [
    ...routes.map((route) => ({ ...route, root: 'partner-api', token: partner.token })),
    ...operatorRoutes.map((route) => ({ ...route, root: 'operator-api', token: operator.token })),
  ]
  for (const { operationId, method, path, root, token } of every) {
    const url = `${baseUrl}/${root}${path.replace(/\{\w+\}/g, 'quote_01h455vb4pex5vsknk084sn02q')}`
    const plain = await answerTo(method, url, token)
    assert.notEqual(plain.status, 429)
    for (const wanted of ['internal_error', 'service_unavailable; when=after; delay=30000', 'no error; at all'])
      assert.deepEqual(withoutTimes(await answerTo(method, url, token, wanted)), withoutTimes(plain), operationId)
  }
})

/** Leaves out the time at which a report was counted. */
function withoutTimes({ status, text }: { status: number; text: string }) {
  return { status, text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '') }
}

test('a live deployment has no sample properties, and sells nothing until a rate card is published', async () => {
  assert.match(credentials.clientId, /^live_/)
  assert.deepEqual(succeeded(await partner.get('/Addresses/lookup?postcode=NR4+7TJ')), [])
  assert.deepEqual(succeeded(await partner.get('/Addresses/lookup?postcode=TE5+7AA')), [])
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
