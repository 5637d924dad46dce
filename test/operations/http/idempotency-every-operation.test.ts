import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { composeCipher } from '../../../src/compose/compose.ts'
import { loadSecrets } from '../../../src/config/secrets.ts'
import { sql } from '../../../src/db/sql.ts'
import { routes } from '../../../src/http/routes/table.ts'
import { succeeded } from '../../support/answers.ts'
import { type Answer, connectPartner } from '../../support/client.ts'
import { databaseContents } from '../../support/database-contents.ts'
import { ordinaryHome } from '../../support/homes.ts'
import { peopleOf, personalInformation } from '../../support/household.ts'
import { withDatabase } from '../../support/partners.ts'
import { startTestService } from '../../support/service.ts'
import { serveBeside } from '../../support/service-beside.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryHome()

interface Sent {
  path: string
  body: unknown
  key: string
  answer: Answer
}

/** What was sent, by operation, so that it can be sent again. */
const sent = new Map<string, Sent>()

async function post(operationId: string, path: string, body?: unknown): Promise<Answer['body']> {
  const key = `key-of-${operationId}`
  const answer = await partner.post(path, body, { headers: { 'Idempotency-Key': key } })
  sent.set(operationId, { path, body, key, answer })
  return succeeded(answer)
}

/** Every POST operation once, each with a key, in an order in which all of them succeed. */
async function goThroughAll(): Promise<void> {
  const { quoteId, availablePackages } = await post('createQuote', '/Quotes', { addressUid })
  const packageOf = (type: string) => availablePackages.find((each: { type: string }) => each.type === type).packageId
  const quote = `/Quotes/${quoteId}`
  await post('addPackages', `${quote}/add-packages`, { packageIds: [packageOf('electricity')] })
  await post('updatePackages', `${quote}/update-packages`, { packageIds: [packageOf('gas')] })
  const { tenants } = await post('addTenants', `${quote}/add-tenants`, { tenants: peopleOf(2) })
  const [lead, second] = tenants.map(({ tenantId }: { tenantId: string }) => tenantId)
  await post('removeTenants', `${quote}/remove-tenants`, { tenantIds: [second] })
  const { uid } = await post('requestBroadbandAvailability', '/Quotes/broadband-availability-requests', { addressUid })
  const { products } = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${uid}`))
  await post('addBroadbandProducts', `${quote}/add-broadband-products`, { broadbandProducts: [products[0].productId] })
  await post('sandboxExpireQuote', `/Sandbox/quotes/${quoteId}/expire`)
  succeeded(await partner.get(`${quote}/total-cost`))
  const customer = `/Customers/${lead}`
  await post('finalisePersonalInformation', `${customer}/finalise-personal-information`, personalInformation())
  await post('createSetupIntent', `${customer}/create-setup-intent`)
  await post('reopenQuote', `${quote}/reopen`)
  const { setupIntentId } = succeeded(await partner.post(`${customer}/create-setup-intent`))
  await post('sandboxConfirmSetupIntent', `/Sandbox/setup-intents/${setupIntentId}/confirm`, {
    paymentMethod: 'pm_card_authenticationRequiredOnSetup',
  })
  await post('sandboxAuthenticateSetupIntent', `/Sandbox/setup-intents/${setupIntentId}/authenticate`, {
    outcome: 'passed',
  })
  await post('acceptTerms', `${customer}/accept-terms`)
  await post('sandboxCollectPayment', `/Sandbox/customers/${lead}/collect`, {})
  await post('sandboxSteerProcessorWebhooks', '/Sandbox/payment-processor/webhooks', { delaySeconds: 1 })
  await post('sandboxSteerProcessorOutage', '/Sandbox/payment-processor/outage', { down: false })
  const other = succeeded(await partner.post('/Quotes', { addressUid }))
  await post('cancelQuote', `/Quotes/${other.quoteId}/cancel`)
  await post('createWebhook', '/Webhooks', { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] })
  await post('sandboxSteerBroadband', `/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'slow' } })
  await post('sandboxAdvanceClock', '/Sandbox/clock/advance', { seconds: 60 })
}

test('every POST operation, when it carries a key, succeeds and stores its answer', async () => {
  await goThroughAll()
  const posts = routes.filter(({ method }) => method === 'POST').map(({ operationId }) => operationId)
  assert.deepEqual([...sent.keys()].sort(), posts.sort(), 'an operation was added: take it in above')
})

for (const { operationId } of routes.filter(({ method }) => method === 'POST')) {
  test(`${operationId}: repeated with its key, it gives the same bytes again, secrets included`, async () => {
    const first = sent.get(operationId)
    assert.ok(first)
    const again = await partner.post(first.path, first.body, { headers: { 'Idempotency-Key': first.key } })
    assert.equal(again.text, first.answer.text)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.status, 200)
  })
}

const secretsOf = (operationId: string, field: string): string => {
  const secret: unknown = sent.get(operationId)?.answer.body[field]
  assert.ok(typeof secret === 'string' && secret.length > 20)
  return secret
}

test('client secret and webhook secret are in no stored answer, though all else of them is', async () => {
  const stored = await withDatabase(service, async (db) => {
    const cipher = await composeCipher(db, await loadSecrets(service.environment, 'sandbox', service.config.dataDir))
    const rows = await db.query<{ partner_id: string; key: string; answer_encrypted: string }>(
      sql`select partner_id, key, answer_encrypted from idempotency_keys`,
    )
    return new Map(
      rows.map((row) => {
        const place = { column: 'idempotency_keys.answer', row: `${row.partner_id}/${row.key}` }
        return [row.key, cipher.decrypt(row.answer_encrypted, place).toString('utf8')]
      }),
    )
  })
  for (const [operationId, field, id] of [
    ['createSetupIntent', 'clientSecret', 'setupIntentId'],
    ['createWebhook', 'secret', 'webhookId'],
  ] as const) {
    const answer = stored.get(`key-of-${operationId}`) ?? ''
    assert.ok(!answer.includes(secretsOf(operationId, field)))
    assert.equal(JSON.parse(answer)[id], sent.get(operationId)?.answer.body[id])
    assert.equal(JSON.parse(answer)[field], '')
  }
})

test('no secret and nothing personal stands readable anywhere in the database', async () => {
  const { firstName, lastName, email, dateOfBirth } = personalInformation()
  const hidden = [
    secretsOf('createSetupIntent', 'clientSecret'),
    secretsOf('createWebhook', 'secret'),
    secretsOf('createWebhook', 'secret').replace('whsec_', ''),
    service.credentials.clientSecret,
    partner.token,
    ...[firstName, lastName, email, dateOfBirth, '7700900123', 'Robin Example', 'robin1@example.com'].map(String),
  ]
  for (const [table, contents] of await databaseContents(service.connectionString))
    for (const text of hidden) assert.ok(!contents.includes(text), `${table} shows ${text.slice(0, 6)}…`)
})

test('secrets are replayed exactly after a restart too', async () => {
  const again = await serveBeside(service)
  try {
    const restarted = await connectPartner(again.baseUrl, service.credentials)
    for (const operationId of ['createSetupIntent', 'createWebhook']) {
      const first = sent.get(operationId)
      assert.ok(first)
      const replayed = await restarted.post(first.path, first.body, { headers: { 'Idempotency-Key': first.key } })
      assert.equal(replayed.text, first.answer.text)
    }
  } finally {
    await again.stop()
  }
})
