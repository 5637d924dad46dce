import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeCipher } from '../../../src/compose/compose.ts'
import { loadSecrets } from '../../../src/config/secrets.ts'
import { sql } from '../../../src/db/sql.ts'
import { routes } from '../../../src/http/routes/table.ts'
import { type ApiResponse, connectPartner } from '../../support/client.ts'
import { readDatabaseContents } from '../../support/database-contents.ts'
import { personalInformation } from '../../support/household.ts'
import { withDatabase } from '../../support/partners.ts'
import { succeeded } from '../../support/responses.ts'
import { startSecondService } from '../../support/second-service.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { callEveryPost } from './every-post.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Sent {
  path: string
  body: unknown
  key: string
  response: ApiResponse
}

/** The requests sent, by operation, so that they can be repeated. */
const sent = new Map<string, Sent>()

async function post<Path extends string>(operationId: string, path: Path, body?: unknown) {
  const key = `key-of-${operationId}`
  const response = await partner.post(path, body, { headers: { 'Idempotency-Key': key } })
  sent.set(operationId, { path, body, key, response })
  return succeeded(response)
}

test('every POST operation sent with a key succeeds and stores its response', async () => {
  await callEveryPost(partner, post)
  const posts = routes.filter(({ method }) => method === 'POST').map(({ operationId }) => operationId)
  assert.deepEqual([...sent.keys()].sort(), posts.sort(), 'add the new operation to every-post.ts')
})

for (const { operationId } of routes.filter(({ method }) => method === 'POST')) {
  test(`${operationId} repeated with its key returns the same bytes, secrets included`, async () => {
    const first = sent.get(operationId)
    assert.ok(first)
    const again = await partner.post(first.path, first.body, { headers: { 'Idempotency-Key': first.key } })
    assert.equal(again.text, first.response.text)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.status, 200)
  })
}

const secretsOf = (operationId: string, field: string): string => {
  const secret: unknown = JSON.parse(sent.get(operationId)?.response.text ?? '')[field]
  assert.ok(typeof secret === 'string' && secret.length > 20)
  return secret
}

test('client and webhook secrets are left out of stored responses', async () => {
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
    ['rotateWebhookSecret', 'secret', 'webhookId'],
  ] as const) {
    const response = stored.get(`key-of-${operationId}`) ?? ''
    assert.ok(!response.includes(secretsOf(operationId, field)))
    assert.equal(JSON.parse(response)[id], JSON.parse(sent.get(operationId)?.response.text ?? '')[id])
    assert.equal(JSON.parse(response)[field], '')
  }
})

test('after every POST, the database contains no readable secret or personal data', async () => {
  const { firstName, lastName, email, dateOfBirth } = personalInformation()
  const hidden = [
    secretsOf('createSetupIntent', 'clientSecret'),
    secretsOf('createWebhook', 'secret'),
    secretsOf('createWebhook', 'secret').replace('whsec_', ''),
    secretsOf('rotateWebhookSecret', 'secret').replace('whsec_', ''),
    service.credentials.clientSecret,
    partner.token,
    ...[firstName, lastName, email, dateOfBirth, '7700900123', 'Robin Example', 'robin1@example.com'].map(String),
  ]
  for (const [table, contents] of await readDatabaseContents(service.connectionString))
    for (const text of hidden) assert.ok(!contents.includes(text), `${table} shows ${text.slice(0, 6)}…`)
})

test('secrets are replayed byte for byte, even after a restart', async () => {
  const again = await startSecondService(service)
  try {
    const restarted = await connectPartner(again.baseUrl, service.credentials)
    for (const operationId of ['createSetupIntent', 'createWebhook', 'rotateWebhookSecret']) {
      const first = sent.get(operationId)
      assert.ok(first)
      const replayed = await restarted.post(first.path, first.body, { headers: { 'Idempotency-Key': first.key } })
      assert.equal(replayed.text, first.response.text)
    }
  } finally {
    await again.stop()
  }
})
