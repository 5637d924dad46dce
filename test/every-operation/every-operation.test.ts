import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { composeCipher } from '../../src/app/compose.ts'
import { routes } from '../../src/app/http/routes.ts'
import type { Scope } from '../../src/partners/scopes.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { type ApiResponse, connectPartner, type Partner } from '../support/client.ts'
import { rawRows, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { readDatabaseContents } from '../support/database-contents.ts'
import {
  callEveryOperation,
  isChanging,
  isPost,
  type SendRequest,
  type ValidRequest,
} from '../support/every-operation.ts'
import { allScopesBut, connectWithScopes, withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { type Callers, operationChecks, sendVariation } from './operation-checks.ts'

/*
 * What holds for every operation of the route table, shown by one pass through all of them. Before each operation
 * succeeds for the first time, variations of its request are sent. Afterwards the tests look at what the pass has left.
 */

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())

/** The first request of each operation, its key if it is a POST, the token it was sent with, and the response. */
const sent = new Map<string, ValidRequest & { headers: Record<string, string>; token: string; response: ApiResponse }>()
const posts = routes.filter(isPost).map(({ operationId }) => operationId)
const callers = new Map<string, Promise<Partner>>()

/** Personal data in the requests of the pass. */
const personalValues = ['Lovelace', 'Somerville', 'ada@example.com', '7700900', '07700 900', '1995-12-10']

/** Connects the partner with these scopes, once. */
function withScopes(scopes: readonly Scope[]): Promise<Partner> {
  const key = scopes.join(' ')
  const partner = callers.get(key) ?? connectWithScopes(service, scopes)
  callers.set(key, partner)
  return partner
}

let partner: Partner
let everyone: Callers
before(async () => {
  partner = await connectPartner(service.baseUrl, service.credentials)
  everyone = { baseUrl: service.baseUrl, partner, without: (scope) => withScopes(allScopesBut(scope)) }
})

test('every operation', async (t) => {
  const send: SendRequest = async (request) => {
    const { operationId, scope, alsoScope } = request.route
    for (const { title, run } of operationChecks.filter(({ appliesTo = () => true }) => appliesTo(request)))
      await t.test(`${operationId} ${title}`, () => run(request, everyone))
    const { token } = await withScopes(alsoScope === undefined ? [scope] : [scope, alsoScope])
    const headers: Record<string, string> = isPost(request.route) ? { 'Idempotency-Key': `key-of-${operationId}` } : {}
    const response = await sendVariation(everyone, request, { token, headers })
    await t.test(`${operationId} succeeds with its scope alone, and none of these requests had an effect`, () => {
      succeeded(response)
    })
    sent.set(operationId, { ...request, headers, token, response })
    return succeeded(response)
  }
  await callEveryOperation(service, send, async (request) => succeeded(await sendVariation(everyone, request)))
  await waitForProcessorWebhooks(service)
})

for (const operationId of posts) {
  test(`${operationId} repeated with its key returns the same bytes, secrets included`, async () => {
    const first = sent.get(operationId)
    assert.ok(first)
    const again = await sendVariation(everyone, first, first)
    assert.equal(again.text, first.response.text)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.status, 200)
  })
}

test('the operations without a body are those that the specification lists', () => {
  const withoutBody = routes.filter((route) => isChanging(route) && (route.body === undefined || route.bodyIsOptional))
  assert.deepEqual(withoutBody.map(({ operationId }) => operationId).sort(), [
    'acceptTerms',
    'cancelContract',
    'cancelImport',
    'cancelQuote',
    'createOnboardingLink',
    'createSetupIntent',
    'deleteWebhook',
    'eraseCustomer',
    'keepContract',
    'redeliver',
    'reopenQuote',
    'replayWebhook',
    'revokeLinks',
    'revokeOnboardingLinks',
    'rotateWebhookSecret',
    'sandboxCollectPayment',
    'sandboxExpireQuote',
    'sendTestEvent',
    'sendVerification',
    'withdrawReplacement',
  ])
})

const secretsOf = (operationId: string, field: string): string => {
  const secret: unknown = JSON.parse(sent.get(operationId)?.response.text ?? '')[field]
  assert.ok(typeof secret === 'string' && secret.length > 20)
  return secret
}

test('client and webhook secrets are left out of stored responses', async () => {
  const stored = await withDatabase(service, async (db) => {
    const cipher = await composeCipher(db, await loadSecrets(service.environment, 'sandbox', service.config.dataDir))
    const rows = await db.query<{ partner_id: string; key: string; response_encrypted: string }>(
      sql`select partner_id, key, response_encrypted from idempotency_keys`,
    )
    return new Map(
      rows.map((row) => {
        const location = { column: 'idempotency_keys.response', row: `${row.partner_id}/${row.key}` }
        return [row.key, cipher.decrypt(row.response_encrypted, location).toString('utf8')]
      }),
    )
  })
  for (const [operationId, field, id] of [
    ['createSetupIntent', 'clientSecret', 'setupIntentId'],
    ['createWebhook', 'secret', 'webhookId'],
    ['rotateWebhookSecret', 'secret', 'webhookId'],
  ] as const) {
    const response = stored.get(`key-of-${operationId}`) ?? ''
    assert.ok(!response.includes(secretsOf(operationId, field)))
    assert.equal(JSON.parse(response)[id], JSON.parse(sent.get(operationId)?.response.text ?? '')[id])
    assert.equal(JSON.parse(response)[field], '')
  }
})

test('after every operation, the database contains no readable secret or personal data', async () => {
  const hidden = [
    secretsOf('createSetupIntent', 'clientSecret'),
    secretsOf('createWebhook', 'secret'),
    secretsOf('createWebhook', 'secret').replace('whsec_', ''),
    secretsOf('rotateWebhookSecret', 'secret').replace('whsec_', ''),
    service.credentials.clientSecret,
    partner.token,
    ...personalValues,
  ]
  for (const [table, contents] of await readDatabaseContents(service.connectionString))
    for (const text of hidden) assert.ok(!contents.includes(text), `${table} shows ${text.slice(0, 6)}…`)
})

for (const { operationId } of routes.filter(isChanging)) {
  test(`${operationId}: every change is in the audit log with its request and its credential`, async () => {
    const entries = await rawRows(service, `select * from audit_log where operation = $1 and action <> 'read'`, [
      operationId,
    ])
    assert.ok(entries.length > 0, 'the operation wrote no audit entry: call it in a way that changes an audited table')
    const { client_id: ownClient } = decodeJwt(sent.get(operationId)?.token ?? '')
    assert.ok(entries.some(({ credential }) => credential === ownClient))
    for (const { actor, credential, request_id: requestId, subject_id: subjectId } of entries) {
      assert.equal(actor, 'client')
      assert.ok([ownClient, service.credentials.clientId].includes(credential), String(credential))
      assert.match(String(requestId), /^\S+$/)
      assert.match(String(subjectId), /^\S+$/)
    }
  })
}

test('a read operation writes no entry unless it changes something or shows a customer or a contract', async () => {
  const changing = ['getQuoteTotalCost', 'runBroadbandAvailabilityCheck']
  const readings = routes
    .filter((route) => !isChanging(route) && !route.path.startsWith('/Customers'))
    .map(({ operationId }) => operationId)
  const found = await rawRows(service, 'select distinct operation from audit_log where operation = any($1)', [readings])
  assert.deepEqual(
    found.map(({ operation }) => operation).filter((operation) => !changing.includes(String(operation))),
    [],
  )
})

test('if a notice changes a payment, the audit log names the processor as the actor', async () => {
  const entries = await rawRows(
    service,
    `select * from audit_log where operation = 'processorNotice' and actor = 'processor' and request_id is not null`,
  )
  assert.ok(entries.length > 0)
})

test('the audit log contains names of changed fields and never a value', async () => {
  const text = JSON.stringify(await rawRows(service, 'select * from audit_log'))
  for (const value of personalValues) assert.ok(!text.includes(value), value)
  assert.ok(text.includes('"personal"') && text.includes('"price"'))
})
