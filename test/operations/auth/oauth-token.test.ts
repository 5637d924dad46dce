import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inTransaction } from '../../../src/db/database.ts'
import { sql } from '../../../src/db/sql.ts'
import { disablePartner } from '../../../src/domain/auth/create-partner.ts'
import { findCredential, insertCredential, insertPartner } from '../../../src/domain/auth/partners.store.ts'
import { scopes } from '../../../src/domain/auth/scopes.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { cheapenSecret } from '../../support/cheap-secret.ts'
import { type ApiResponse, call, partnerWithToken } from '../../support/client.ts'
import { withDatabase } from '../../support/partners.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { assertToken, assertTokenError, basic, providerForm, sendForm, sendJson } from './token-calls.ts'

const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const path = '/oauth/token'
const grant = { grant_type: 'client_credentials' }
const challenge = 'Basic realm="housebill", charset="UTF-8"'

/** Credentials that only form-encoding carries unharmed through HTTP Basic. */
const awkward = { clientId: 'sb_a:b +%', clientSecret: 'p&=: +%2Bé"' }

before(() =>
  withDatabase(service, async (db) => {
    const own = await findCredential(db, clientId)
    assert.ok(own)
    await inTransaction(db, {}, (tx) => insertCredential(tx, { ...own, clientId: awkward.clientId, now: new Date() }))
    await cheapenSecret(service.connectionString, awkward)
  }),
)

function withBasic(header: string, fields: Record<string, string> = grant): Promise<ApiResponse> {
  return sendForm(service, path, Object.entries(fields), { Authorization: header })
}

test('HTTP Basic, with the grant type in a form or in JSON, gives a token; the audience may be left out', async () => {
  const header = basic(clientId, clientSecret)
  assertToken(await withBasic(header))
  assertToken(await withBasic(header.replace('Basic', 'bAsIc')))
  assertToken(await sendJson(service, path, grant, { Authorization: header }))
  assertToken(await withBasic(header, { ...grant, audience: service.config.auth.audience }))
})

test('HTTP Basic is form-decoded after Base64, as RFC 6749 says', async () => {
  assertToken(await withBasic(basic(awkward.clientId, awkward.clientSecret)))
  const spacesAsPercent = `${encodeURIComponent(awkward.clientId)}:${encodeURIComponent(awkward.clientSecret)}`
  assertToken(await withBasic(`Basic ${Buffer.from(spacesAsPercent).toString('base64')}`))
  const undecoded = `Basic ${Buffer.from(`${awkward.clientId}:${awkward.clientSecret}`).toString('base64')}`
  const response = await withBasic(undecoded)
  assertTokenError(response, 401, 'invalid_client')
  assert.equal(response.headers.get('www-authenticate'), challenge)
})

test('HTTP Basic that fails, for whatever reason, is invalid_client with a challenge', async () => {
  const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const header of [
    basic(clientId, 'wrong'),
    'Basic',
    'Basic ',
    'Basic !!!',
    encode(clientId),
    encode(`:${clientSecret}`),
    encode(`${clientId}:`),
    encode(`${clientId}:%zz`),
    encode(`sb_\u0000:${clientSecret}`),
  ]) {
    const response = await withBasic(header)
    assertTokenError(response, 401, 'invalid_client')
    assert.equal(response.headers.get('www-authenticate'), challenge, header)
  }
})

test('two ways to authenticate at once are invalid_request; the same client_id beside HTTP Basic is one way', async () => {
  const header = basic(clientId, clientSecret)
  assertToken(await withBasic(header, { ...grant, client_id: clientId }))
  for (const fields of [
    { ...grant, client_id: clientId, client_secret: clientSecret },
    { ...grant, client_secret: clientSecret },
    { ...grant, client_id: 'sb_other' },
    { ...grant, clientId, clientSecret },
    { ...grant, clientId },
  ]) {
    assertTokenError(await withBasic(header, fields), 400, 'invalid_request')
  }
})

test('HTTP Basic without the grant type, or with another one, is invalid_request without a challenge', async () => {
  for (const fields of [{}, { grant_type: 'refresh_token' }, { audience: service.config.auth.audience }]) {
    const response = await withBasic(basic(clientId, clientSecret), fields)
    assertTokenError(response, 400, 'invalid_request')
    assert.equal(response.headers.get('www-authenticate'), null)
  }
  const bare = await call(service.baseUrl, 'POST', path, undefined, {
    headers: { Authorization: basic(clientId, clientSecret) },
  })
  assert.match(assertTokenError(bare, 400, 'invalid_request'), /grant_type is missing/)
})

test('wrong credentials in the body are invalid_client without a challenge for Basic', async () => {
  const response = await sendForm(service, path, Object.entries(providerForm(service, { client_secret: 'wrong' })))
  assertTokenError(response, 401, 'invalid_client')
  assert.equal(response.headers.get('www-authenticate'), null)
})

test('another scheme in the Authorization header is not read', async () => {
  assertToken(await sendJson(service, path, providerForm(service), { Authorization: 'Bearer whatever' }))
})

test('scope, when it is left out, is everything the credentials have; a selection is granted as asked', async () => {
  assert.equal(assertToken(await withBasic(basic(clientId, clientSecret))).scope, scopes.join(' '))
  for (const [asked, granted] of [
    ['quotes:read', 'quotes:read'],
    ['quotes:read  addresses:read quotes:read', 'quotes:read addresses:read'],
  ] as const) {
    const { access_token, scope } = assertToken(
      await sendForm(service, path, Object.entries(providerForm(service, { scope: asked }))),
    )
    assert.equal(scope, granted)
    const partner = partnerWithToken(service.baseUrl, access_token)
    assert.equal((await partner.get('/Quotes')).status, 200)
    const refused = await partner.get('/Customers/psr-categories')
    assert.equal(refused.status, 403)
    assert.equal(
      refused.headers.get('www-authenticate'),
      'Bearer realm="housebill", error="insufficient_scope", scope="customers:read"',
    )
  }
})

test('a scope that is unknown or not given to the credentials is invalid_request', async () => {
  for (const scope of ['everything', 'quotes:read everything', ' ', 'QUOTES:READ']) {
    const response = await sendForm(service, path, Object.entries(providerForm(service, { scope })))
    assert.match(assertTokenError(response, 400, 'invalid_request'), /^scope must be/)
  }
})

test('the credentials of a disabled partner, and those past their end, are invalid_client', async () => {
  const disabled = { clientId: 'sb_disabled', clientSecret }
  const ended = { clientId: 'sb_ended', clientSecret }
  await withDatabase(service, async (db) => {
    const own = await findCredential(db, clientId)
    assert.ok(own)
    const now = new Date()
    const partnerId = newId('partner')
    await inTransaction(db, {}, async (tx) => {
      await insertPartner(tx, { partnerId, name: 'To be disabled', now })
      await insertCredential(tx, { ...own, clientId: disabled.clientId, partnerId, now })
      await insertCredential(tx, { ...own, clientId: ended.clientId, now })
    })
    assertToken(await sendJson(service, path, disabled))
    assertToken(await sendJson(service, path, ended))
    assert.ok(await disablePartner({ db, clock: systemClock }, partnerId))
    await db.query(sql`update credentials set expires_at = ${now} where client_id = ${ended.clientId}`)
  })
  for (const credentials of [disabled, ended]) {
    assert.match(assertTokenError(await sendJson(service, path, credentials), 401, 'invalid_client'), /disabled/)
    const viaBasic = await withBasic(basic(credentials.clientId, clientSecret))
    assertTokenError(viaBasic, 401, 'invalid_client')
    assert.equal(viaBasic.headers.get('www-authenticate'), challenge)
  }
})
