import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type {
  IssuedCredentialObject,
  PartnerList,
  PartnerObject,
} from '../../src/back-office/partners/partner.schema.ts'
import { call, getToken, partnerWithToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectOperator } from '../support/operator.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

type Partner = Static<typeof PartnerObject>
type Issued = Static<typeof IssuedCredentialObject>

const service = await shareTestService()
const operator = await connectOperator(service, ['partners:read', 'partners:write'])
const key = (name: string) => ({ headers: { 'Idempotency-Key': `${name}-${process.pid}-${Date.now()}` } })
const scopes = ['quotes:read', 'addresses:read']

const create = async (name = 'Acme Lettings', body: object = {}) =>
  succeeded(await operator.post<Partner>('/Partners', { name, ...body }))
const addCredential = async (partnerId: string, body: object = {}) =>
  succeeded(await operator.post<Issued>(`/Partners/${partnerId}/credentials`, { scopes, ...body }))
const find = async (partnerId: string) =>
  succeeded(await operator.get<Static<typeof PartnerList>>('/Partners')).data.find(
    (each) => each.partnerId === partnerId,
  )
const tokenStatus = async (clientId: string, clientSecret: string | null) =>
  (await call(service.baseUrl, 'POST', '/partner-api/Auth/token', { clientId, clientSecret })).status

test('a partner is created with a contact and a limit, gets credentials, and calls the partner API with them', async () => {
  const created = await create('Acme Lettings', { contactEmail: 'it@acme.example', requestsPerSecond: 7 })
  assert.deepEqual(
    [created.name, created.status, created.contactEmail, created.requestsPerSecond, created.credentials],
    ['Acme Lettings', 'active', 'it@acme.example', 7, []],
  )
  const { clientId, clientSecret } = await addCredential(created.partnerId, { name: 'website', expiresInDays: 30 })
  const token = await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' })
  const response = await partnerWithToken(service.baseUrl, token).get('/Quotes')
  succeeded(response)
  assert.equal(response.headers.get('ratelimit-policy'), '"default";q=7;w=1')
  rejected(await partnerWithToken(service.baseUrl, token).get('/Webhooks'), 403, 'insufficient_scope')
  const found = await find(created.partnerId)
  assert.deepEqual(
    found?.credentials.map((each) => [each.clientId, each.name, each.scopes, each.expiresAt !== null]),
    [[clientId, 'website', ['quotes:read', 'addresses:read'], true]],
  )
  const [row] = await rawRows(service, 'select to_jsonb(p)::text as text from partners p where partner_id = $1', [
    created.partnerId,
  ])
  assert.ok(!String(row?.text).includes('acme.example'), 'the contact is encrypted')
})

test('a partner is changed, and the limit applies within seconds', async () => {
  const { partnerId } = await create()
  const { clientId, clientSecret } = await addCredential(partnerId)
  const token = await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' })
  const policy = async () =>
    (await partnerWithToken(service.baseUrl, token).get('/Quotes')).headers.get('ratelimit-policy')
  const before = await policy()
  const changed = succeeded(
    await operator.patch<Partner>(`/Partners/${partnerId}`, {
      name: 'Acme Homes',
      requestsPerSecond: 3,
      contactEmail: 'a@b.example',
    }),
  )
  assert.deepEqual([changed.name, changed.requestsPerSecond, changed.contactEmail], ['Acme Homes', 3, 'a@b.example'])
  await waitFor('the limit applies', policy, (now) => now === '"default";q=3;w=1')
  const cleared = succeeded(
    await operator.patch<Partner>(`/Partners/${partnerId}`, { requestsPerSecond: null, contactEmail: null }),
  )
  assert.deepEqual([cleared.name, cleared.requestsPerSecond, cleared.contactEmail], ['Acme Homes', null, null])
  await waitFor('the limit is gone', policy, (now) => now === before)
})

test('changes of different settings at the same time all take effect', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const changes = [
      { name: `Round ${round}` },
      { requestsPerSecond: 10 + round },
      { contactEmail: `r${round}@example.com` },
    ]
    const { partnerId } = await create('Before')
    for (const response of await Promise.all(changes.map((body) => operator.patch(`/Partners/${partnerId}`, body))))
      succeeded(response)
    const found = await find(partnerId)
    const { name, requestsPerSecond, contactEmail } = found ?? {}
    assert.deepEqual({ name, requestsPerSecond, contactEmail }, Object.assign({}, ...changes))
  }
})

test('a suspended partner is rejected until it is resumed, by the operator’s credentials in the audit log', async () => {
  const { partnerId } = await create()
  const { clientId, clientSecret } = await addCredential(partnerId)
  const token = await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' })
  const status = async () => (await partnerWithToken(service.baseUrl, token).get('/Quotes')).status
  const suspended = succeeded(await operator.post<Partner>(`/Partners/${partnerId}/suspend`))
  assert.equal(suspended.status, 'suspended')
  assert.deepEqual(succeeded(await operator.post<Partner>(`/Partners/${partnerId}/suspend`)), suspended)
  await waitFor('calls are rejected', status, (now) => now === 403)
  assert.equal(succeeded(await operator.post<Partner>(`/Partners/${partnerId}/resume`)).status, 'active')
  await waitFor('calls are accepted', status, (now) => now === 200)
  const rows = await rawRows(
    service,
    `select operation, actor, credential from audit_log where partner_id = $1 and subject_type = 'partner'
     and action = 'changed' order by entry_number`,
    [partnerId],
  )
  assert.deepEqual(
    rows.map(({ operation, actor, credential }) => [operation, actor, credential]),
    ['suspendPartner', 'resumePartner'].map((operation) => [operation, 'operator', operator.clientId]),
  )
})

test('with an Idempotency-Key, nothing is created or replaced twice, and a repeated call shows no secret', async () => {
  const created = key('partner')
  const { partnerId } = succeeded(await operator.post<Partner>('/Partners', { name: 'Once' }, created))
  assert.equal(succeeded(await operator.post<Partner>('/Partners', { name: 'Once' }, created)).partnerId, partnerId)
  rejected(await operator.post('/Partners', { name: 'Other' }, created), 422, 'idempotency_key_reused')

  const added = key('credential')
  const path = `/Partners/${partnerId}/credentials`
  const first = succeeded(await operator.post<Issued>(path, { scopes }, added))
  const again = succeeded(await operator.post<Issued>(path, { scopes }, added))
  assert.deepEqual(again, { ...first, clientSecret: null })
  assert.equal((await find(partnerId))?.credentials.length, 1)

  const rotated = key('rotate')
  const rotate = `${path}/${first.clientId}/rotate`
  const replaced = succeeded(await operator.post<Issued>(rotate, { overlapSeconds: 3_600 }, rotated))
  assert.notEqual(replaced.previousSecretUntil, null)
  const repeated = succeeded(await operator.post<Issued>(rotate, { overlapSeconds: 3_600 }, rotated))
  assert.deepEqual(repeated, { ...replaced, clientSecret: null })
  for (const secret of [first.clientSecret, replaced.clientSecret])
    assert.equal(await tokenStatus(first.clientId, secret), 200, 'both secrets work during the overlap')
  const last = succeeded(await operator.post<Issued>(rotate, {}))
  assert.equal(last.previousSecretUntil, null)
  assert.equal(await tokenStatus(first.clientId, replaced.clientSecret), 401)
  assert.equal(await tokenStatus(first.clientId, last.clientSecret), 200)
})

test('a key that made credentials makes no others: not after they were removed, and not with another request', async () => {
  const { partnerId } = await create()
  const path = `/Partners/${partnerId}/credentials`
  const added = key('once')
  const { clientId, clientSecret } = succeeded(await operator.post<Issued>(path, { scopes }, added))
  const token = await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' })
  rejected(await operator.post(path, { scopes: ['quotes:read'] }, added), 422, 'idempotency_key_reused')
  succeeded(await operator.post(`${path}/${clientId}/remove`))
  rejected(await operator.post(path, { scopes }, added), 404, 'not_found')
  const status = async () => (await partnerWithToken(service.baseUrl, token).get('/Quotes')).status
  await waitFor('the token is rejected', status, (now) => now === 401)

  const registered = key('partner')
  succeeded(await operator.post('/Partners', { name: 'Same', requestsPerSecond: 5 }, registered))
  for (const other of [
    { requestsPerSecond: 6 },
    { requestsPerSecond: 5, confirmations: 'partner' },
    { requestsPerSecond: 5, contactEmail: 'same@example.com' },
  ]) {
    const again = await operator.post('/Partners', { name: 'Same', ...other }, registered)
    rejected(again, 422, 'idempotency_key_reused')
  }
})

test('parallel calls with one key replace a secret once, and the secret in use keeps working for the overlap', async () => {
  const { partnerId } = await create()
  const { clientId, clientSecret } = await addCredential(partnerId)
  const path = `/Partners/${partnerId}/credentials`
  const rotated = key('rotate')
  const rotate = (overlapSeconds: number) =>
    operator.post<Issued>(`${path}/${clientId}/rotate`, { overlapSeconds }, rotated)
  const answers = (await Promise.all(Array.from({ length: 6 }, () => rotate(600)))).map((each) => succeeded(each))
  const secrets = answers.flatMap((each) => each.clientSecret ?? [])
  assert.equal(secrets.length, 1)
  assert.deepEqual(new Set(answers.map((each) => each.previousSecretUntil)).size, 1)
  for (const secret of [clientSecret, ...secrets]) assert.equal(await tokenStatus(clientId, secret), 200)
  rejected(await rotate(0), 422, 'idempotency_key_reused')

  const added = key('parallel')
  const made = await Promise.all(Array.from({ length: 6 }, () => operator.post<Issued>(path, { scopes }, added)))
  assert.equal(new Set(made.map((each) => succeeded(each).clientId)).size, 1)
  assert.equal((await find(partnerId))?.credentials.length, 2)
})

test('credentials are removed, and only under their own partner', async () => {
  const [one, other] = [await create(), await create()]
  const { clientId, clientSecret } = await addCredential(one.partnerId)
  for (const action of ['rotate', 'remove'])
    rejected(
      await operator.post(
        `/Partners/${other.partnerId}/credentials/${clientId}/${action}`,
        action === 'rotate' ? {} : undefined,
      ),
      404,
      'not_found',
    )
  succeeded(await operator.post(`/Partners/${one.partnerId}/credentials/${clientId}/remove`))
  assert.equal(await tokenStatus(clientId, clientSecret), 401)
  rejected(await operator.post(`/Partners/${one.partnerId}/credentials/${clientId}/remove`), 404, 'not_found')
})

test('a client id with spaces, as an external identity provider may give, is listed and removed', async () => {
  const { partnerId } = await create()
  const { clientId: own } = await addCredential(partnerId)
  const clientId = `of another: ${partnerId} +%`
  await rawRows(service, 'update credentials set client_id = $1 where client_id = $2', [clientId, own])
  const listed = await find(partnerId)
  assert.deepEqual(
    listed?.credentials.map((each) => each.clientId),
    [clientId],
  )
  succeeded(await operator.post(`/Partners/${partnerId}/credentials/${encodeURIComponent(clientId)}/remove`))
  assert.deepEqual((await find(partnerId))?.credentials, [])
})

test('a disabled partner’s tokens are rejected within seconds, and it cannot be suspended, resumed or given credentials', async () => {
  const { partnerId } = await create()
  const { clientId, clientSecret } = await addCredential(partnerId)
  const token = await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' })
  assert.equal(succeeded(await operator.post<Partner>(`/Partners/${partnerId}/disable`)).status, 'disabled')
  assert.equal(await tokenStatus(clientId, clientSecret), 401)
  const status = async () => (await partnerWithToken(service.baseUrl, token).get('/Quotes')).status
  await waitFor('the token is rejected', status, (now) => now === 401)
  const disabledAt = () => rawRows(service, 'select disabled_at from partners where partner_id = $1', [partnerId])
  const first = await disabledAt()
  succeeded(await operator.post(`/Partners/${partnerId}/disable`))
  assert.deepEqual(await disabledAt(), first, 'it keeps its first time')
  for (const action of ['suspend', 'resume'])
    rejected(await operator.post(`/Partners/${partnerId}/${action}`), 422, 'partner_disabled')
  rejected(await operator.post(`/Partners/${partnerId}/credentials`, { scopes }), 422, 'partner_disabled')
})

test('credentials end with their expiry, and earlier tokens with a rotation that says so', async () => {
  const { partnerId } = await create()
  const path = `/Partners/${partnerId}/credentials`
  const { clientId, clientSecret } = await addCredential(partnerId, { expiresInDays: 1 })
  const connected = partnerWithToken(
    service.baseUrl,
    await getToken(service.baseUrl, { clientId, clientSecret: clientSecret ?? '' }),
  )
  const set = (change: string) => rawRows(service, `update credentials set ${change} where client_id = $1`, [clientId])
  const { clientSecret: second } = succeeded(
    await operator.post<Issued>(`${path}/${clientId}/rotate`, { overlapSeconds: 3_600 }),
  )
  assert.equal((await connected.get('/Quotes')).status, 200, 'tokens that were issued stay valid')
  await set('previous_secret_until = now()')
  assert.deepEqual([await tokenStatus(clientId, clientSecret), await tokenStatus(clientId, second)], [401, 200])
  const last = succeeded(await operator.post<Issued>(`${path}/${clientId}/rotate`, { endTokens: true }))
  await waitFor('the earlier token is rejected', async () => (await connected.get('/Quotes')).status === 401)
  assert.equal(await tokenStatus(clientId, last.clientSecret), 200)
  await set('expires_at = now()')
  assert.equal(await tokenStatus(clientId, last.clientSecret), 401)
})

test('credentials are limited to addresses when they are added and later, and never outside their partner', async () => {
  const [{ partnerId }, other] = [await create(), await create()]
  const { clientId, clientSecret } = await addCredential(partnerId, { allowedFrom: ['192.0.2.0/24'] })
  assert.equal(await tokenStatus(clientId, clientSecret), 401)
  const change = (allowedFrom: unknown, whose = partnerId) =>
    operator.patch(`/Partners/${whose}/credentials/${clientId}`, { allowedFrom })
  assert.deepEqual(succeeded(await change(['127.0.0.1', '::1'])), { clientId, allowedFrom: ['127.0.0.1', '::1'] })
  assert.equal(await tokenStatus(clientId, clientSecret), 200)
  rejected(await change(null, other.partnerId), 404, 'not_found')
  assert.deepEqual(invalidFields(rejected(await change(['home']), 422, 'validation_failed')), [
    ['/allowedFrom/0', 'wrong_format'],
  ])
  assert.deepEqual(succeeded(await change(null)), { clientId, allowedFrom: null })
  assert.equal((await find(partnerId))?.credentials[0]?.allowedFrom, null)
})

test('a client id of an external identity provider is added once, without a secret', async () => {
  const { partnerId } = await create()
  const clientId = `known there ${partnerId}`
  const issued = await addCredential(partnerId, { clientId })
  assert.deepEqual([issued.clientId, issued.clientSecret], [clientId, null])
  const again = await operator.post(`/Partners/${partnerId}/credentials`, { scopes, clientId })
  assert.deepEqual(invalidFields(rejected(again, 422, 'validation_failed')), [['/clientId', 'taken']])
})

test('unknown partners are 404', async () => {
  for (const path of ['/Partners/partner_01m7w4kmmrf2288900000000zz', '/Partners/nobody']) {
    rejected(await operator.patch(path, { name: 'A' }), 404, 'not_found')
    rejected(await operator.post(`${path}/suspend`), 404, 'not_found')
    rejected(await operator.post(`${path}/credentials`, { scopes }), 404, 'not_found')
  }
})
