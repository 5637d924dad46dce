import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { ensureSandboxPartner } from '../../src/app/sandbox/sandbox-partner.ts'
import { hashClientSecret } from '../../src/partners/client-secret.ts'
import { createPartnerForClientId } from '../../src/partners/managing/create-partner.ts'
import { findCredential, insertCredential } from '../../src/partners/partners.store.ts'
import { scopes } from '../../src/partners/scopes.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { type ApiResponse, call, partnerWithToken } from '../support/client.ts'
import { cipherOf, withDatabase } from '../support/partners.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { shareTestService } from '../support/shared-service.ts'
import {
  assertToken,
  assertTokenError,
  basicAuthorization,
  sendForm,
  sendJson,
  tokenPaths,
  tokenRequestBody,
} from './token-calls.ts'

const service = await shareTestService()
const { clientId, clientSecret } = service.credentials
const path = '/oauth/token'
const grant = { grant_type: 'client_credentials' }
const challenge = 'Basic realm="housebill", charset="UTF-8"'

/** Credentials that HTTP Basic transmits correctly only if they are form-encoded. */
const awkward = { clientId: 'sb_a:b +%', clientSecret: 'p&=: +%2Bé"' }

before(() =>
  withDatabase(service, async (db) => {
    const cipher = await cipherOf(service)
    const own = await findCredential(db, cipher, clientId)
    assert.ok(own)
    const secretHash = hashClientSecret(awkward.clientSecret)
    const copy = { ...own, clientId: awkward.clientId, secretHash, now: new Date() }
    await inTransaction(db, {}, (tx) => insertCredential(tx, cipher, copy))
  }),
)

function withBasic(header: string, fields: Record<string, string> = grant): Promise<ApiResponse> {
  return sendForm(service, path, Object.entries(fields), { Authorization: header })
}

test('a client that uses HTTP Basic can send the grant type as a form or as JSON and can leave out the audience', async () => {
  const header = basicAuthorization(clientId, clientSecret)
  assertToken(await withBasic(header))
  assertToken(await withBasic(header.replace('Basic', 'bAsIc')))
  assertToken(await sendJson(service, path, grant, { Authorization: header }))
  const { audience } = service.config.auth
  assertToken(await withBasic(header, { ...grant, audience }))
  assertToken(await withBasic(header, { ...grant, resource: audience }))
})

test('HTTP Basic with the wrong audience or resource returns an error without a challenge that names the audience', async () => {
  const elsewhere = 'https://elsewhere.example'
  for (const [fields, error] of [
    [{ audience: elsewhere }, 'invalid_request'],
    [{ resource: elsewhere }, 'invalid_target'],
  ] as const) {
    const response = await withBasic(basicAuthorization(clientId, clientSecret), { ...grant, ...fields })
    assert.ok(assertTokenError(response, 400, error).includes(service.config.auth.audience))
    assert.equal(response.headers.get('www-authenticate'), null)
  }
})

test('HTTP Basic credentials are form-decoded after Base64, as RFC 6749 requires', async () => {
  assertToken(await withBasic(basicAuthorization(awkward.clientId, awkward.clientSecret)))
  const spacesAsPercent = `${encodeURIComponent(awkward.clientId)}:${encodeURIComponent(awkward.clientSecret)}`
  assertToken(await withBasic(`Basic ${Buffer.from(spacesAsPercent).toString('base64')}`))
  const undecoded = `Basic ${Buffer.from(`${awkward.clientId}:${awkward.clientSecret}`).toString('base64')}`
  const response = await withBasic(undecoded)
  assertTokenError(response, 401, 'invalid_client')
  assert.equal(response.headers.get('www-authenticate'), challenge)
})

test('failed HTTP Basic authentication always returns invalid_client with a challenge', async () => {
  const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const header of [
    basicAuthorization(clientId, 'wrong'),
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
    assert.match(assertTokenError(response, 401, 'invalid_client'), /form-encode/)
    assert.equal(response.headers.get('www-authenticate'), challenge, header)
  }
})

test('a token request that authenticates in two ways returns invalid_request; repeating the same client_id is allowed', async () => {
  const header = basicAuthorization(clientId, clientSecret)
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
  assert.equal(
    assertTokenError(await withBasic(header, { ...grant, client_secret: clientSecret }), 400, 'invalid_request'),
    'authenticate with either HTTP Basic or client_secret in the body, not both',
  )
})

test('a token request with HTTP Basic but a missing or wrong grant type returns invalid_request without a challenge', async () => {
  for (const fields of [{}, { grant_type: 'refresh_token' }, { audience: service.config.auth.audience }]) {
    const response = await withBasic(basicAuthorization(clientId, clientSecret), fields)
    assertTokenError(response, 400, 'invalid_request')
    assert.equal(response.headers.get('www-authenticate'), null)
  }
  const bare = await call(service.baseUrl, 'POST', path, undefined, {
    headers: { Authorization: basicAuthorization(clientId, clientSecret) },
  })
  assert.match(assertTokenError(bare, 400, 'invalid_request'), /grant_type is missing/)
})

test('a scheme other than Basic in the Authorization header is ignored', async () => {
  assertToken(await sendJson(service, path, tokenRequestBody(service), { Authorization: 'Bearer whatever' }))
})

test('a token has the requested scopes or, if none were requested, every scope of the credentials', async () => {
  assert.equal(assertToken(await withBasic(basicAuthorization(clientId, clientSecret))).scope, scopes.join(' '))
  for (const [asked, granted] of [
    ['quotes:read', 'quotes:read'],
    ['quotes:read  addresses:read quotes:read', 'quotes:read addresses:read'],
  ] as const) {
    const { access_token, scope } = assertToken(
      await sendForm(service, path, Object.entries(tokenRequestBody(service, { scope: asked }))),
    )
    assert.equal(scope, granted)
    const partner = partnerWithToken(service.baseUrl, access_token)
    assert.equal((await partner.get('/Quotes')).status, 200)
    const rejected = await partner.get('/Customers/psr-categories')
    assert.equal(rejected.status, 403)
    assert.equal(
      rejected.headers.get('www-authenticate'),
      'Bearer realm="housebill", error="insufficient_scope", scope="customers:read"',
    )
  }
})

test('a scope that is unknown or not granted to the credentials returns invalid_request', async () => {
  for (const scope of ['everything', 'quotes:read everything', ' ', 'QUOTES:READ']) {
    const response = await sendForm(service, path, Object.entries(tokenRequestBody(service, { scope })))
    assert.match(assertTokenError(response, 400, 'invalid_request'), /^scope must be/)
  }
})

test('a client whose secret is kept by an external provider gets no token from the embedded provider', async () => {
  await withDatabase(service, async (db) =>
    createPartnerForClientId(
      { db, clock: systemClock, cipher: await cipherOf(service) },
      { name: 'Outside', clientId: 'outside' },
    ),
  )
  for (const path of tokenPaths) {
    for (const clientSecret of ['null', 'undefined', 'anything']) {
      const response = await sendJson(service, path, { clientId: 'outside', clientSecret })
      assertTokenError(response, 401, 'invalid_client')
    }
  }
})

test("the sandbox's client id keeps its partner when the provider changes, and has a secret only if we verify it", async () => {
  const database = await createTestDatabase()
  try {
    await withDatabase(database, async (db) => {
      const cipher = await cipherOf(service)
      const ensure = (clientId: string | undefined, clientSecret: string | undefined, secretsAreExternal: boolean) =>
        ensureSandboxPartner({ db, clock: systemClock, cipher }, { clientId, clientSecret, secretsAreExternal })
      assert.deepEqual(await ensure(undefined, undefined, true), { clientId: undefined, newClientSecret: undefined })
      for (let start = 0; start < 2; start += 1)
        assert.deepEqual(await ensure('acme', undefined, true), { clientId: 'acme', newClientSecret: undefined })
      const outside = await findCredential(db, cipher, 'acme')
      assert.equal(outside?.secretHash, null)

      const inside = await ensure('acme', undefined, false)
      assert.match(inside.newClientSecret ?? '', /^sk_/)
      const again = await ensure('acme', undefined, false)
      assert.equal(again.newClientSecret, undefined)
      const credential = await findCredential(db, cipher, 'acme')
      assert.match(credential?.secretHash ?? '', /^sha256\$/)
      assert.equal(credential?.partnerId, outside?.partnerId)
    })
  } finally {
    await database.drop()
  }
})

const { issuer, audience } = service.config.auth

const methods = ['client_secret_basic', 'client_secret_post'] as const

async function assertAccepted(token: string): Promise<void> {
  assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
}

/** The only option that the tests set for the client: by default, it rejects plain http. */
const insecure = { [oauth.allowInsecureRequests]: true }

for (const name of methods) {
  test(`openid-client, given only the issuer, discovers the endpoints and gets tokens with ${name}`, async () => {
    const authentication = name === 'client_secret_basic' ? openid.ClientSecretBasic : openid.ClientSecretPost
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })
    const granted = await openid.clientCredentialsGrant(config)
    assert.equal(granted.expires_in, 86_400)
    await assertAccepted(granted.access_token)
    const narrow = await openid.clientCredentialsGrant(config, { scope: 'quotes:read', resource: audience })
    assert.equal(narrow.scope, 'quotes:read')
    await assertAccepted(narrow.access_token)
  })

  test(`oauth4webapi, given only the issuer, discovers the endpoints and gets tokens with ${name}`, async () => {
    const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
    const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
    const client = { client_id: clientId }
    const authentication =
      name === 'client_secret_basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure)
    const granted = await oauth.processClientCredentialsResponse(server, client, response)
    assert.equal(granted.token_type, 'bearer')
    await assertAccepted(granted.access_token)

    // Validates the token as a resource server that uses this library would.
    const request = new Request(audience, { headers: { authorization: `Bearer ${granted.access_token}` } })
    const claims = await oauth.validateJwtAccessToken(server, request, audience, insecure)
    assert.equal(claims.client_id, clientId)
  })
}
