import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { setClientKeys } from '../../../src/domain/auth/manage-credentials.ts'
import { getToken, partnerWithToken } from '../../support/client.ts'
import { connectWithScopes, withDatabase } from '../../support/partners.ts'
import { startSecondService } from '../../support/second-service.ts'
import { startTestService } from '../../support/service.ts'
import { assertToken, assertTokenError, sendForm } from './token-calls.ts'

const service = await startTestService()
after(() => service.stop())
const { issuer } = service.config.auth
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'one' }

const clientId = await (async () => {
  const { token } = await connectWithScopes(service, ['quotes:read'])
  const { client_id: id } = decodeJwt<{ client_id: string }>(token)
  await withDatabase(service, (db) => setClientKeys({ db }, id, { keys: [publicJwk] }))
  return id
})()

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const path = '/oauth/token'
let made = 0

/** An assertion that is accepted. `changes` overrides claims; `undefined` removes one. */
function assertion(
  changes: Record<string, unknown> = {},
  { alg = 'ES256', kid = 'one', key = privateKey } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  made += 1
  return new SignJWT({ iss: clientId, sub: clientId, aud: issuer, iat: now, exp: now + 60, jti: `${made}`, ...changes })
    .setProtectedHeader({ alg, kid })
    .sign(key)
}

const send = (text: string, further: Record<string, string> = {}, to: typeof path | '/partner-api/Auth/token' = path) =>
  sendForm(
    service,
    to,
    Object.entries({
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: text,
      ...further,
    }),
  )

test('a client with keys gets a token with an assertion for the issuer or the URL of the call', async () => {
  for (const to of [path, '/partner-api/Auth/token'] as const)
    for (const aud of [issuer, `${issuer}${to}`, [`${issuer}${to}`, 'https://elsewhere.example']]) {
      const { access_token: token } = assertToken(await send(await assertion({ aud }), { client_id: clientId }, to))
      assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
    }
})

test('an assertion works once, in whichever process', async () => {
  const second = await startSecondService(service)
  after(() => second.stop())
  const text = await assertion()
  assertToken(await send(text))
  assert.match(assertTokenError(await send(text), 401, 'invalid_client'), /it was used before/)
  const elsewhere = await sendForm(
    { ...service, baseUrl: second.baseUrl },
    path,
    Object.entries({ grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion: text }),
  )
  assertTokenError(elsewhere, 401, 'invalid_client')
})

test('of simultaneous calls with the same assertion, one gets a token', async () => {
  const text = await assertion()
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(text)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)])
})

test('an assertion with a wrong claim or signature is rejected, and the error names the claim', async () => {
  const now = Math.floor(Date.now() / 1000)
  const other = await generateKeyPair('ES256')
  for (const [text, reason] of [
    [await assertion({ iss: 'sb_other' }), /its claim iss is missing or wrong/],
    [await assertion({ aud: 'https://elsewhere.example' }), /its claim aud/],
    [await assertion({ aud: undefined }), /its claim aud/],
    [await assertion({ jti: undefined }), /its claim jti/],
    [await assertion({ jti: '' }), /its jti must be a text/],
    [await assertion({ exp: undefined }), /its claim exp/],
    [await assertion({ exp: now - 31 }), /it has expired/],
    [await assertion({ exp: now + 400 }), /its exp must be at most 300 seconds ahead/],
    [await assertion({ nbf: now + 60 }), /its claim nbf/],
    [await assertion({}, { key: other.privateKey }), /not signed with a key of this client/],
    [await assertion({}, { kid: 'two' }), /not signed with a key of this client/],
    [await assertion({ sub: 'sb_unknown', iss: 'sb_unknown' }), /not signed with a key of this client/],
  ] as const)
    assert.match(assertTokenError(await send(text), 401, 'invalid_client'), reason)
})

test('an unsigned assertion, or one signed with the public key as a secret, is rejected', async () => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: issuer, exp: now + 60, jti: 'forged' }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const secret = Buffer.from(JSON.stringify(publicJwk))
  for (const text of [
    `${encode({ alg: 'none' })}.${encode(claims)}.`,
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret),
  ])
    assertTokenError(await send(text), 401, 'invalid_client')
})

test('a client with keys gets no token with a secret, and one with a secret none with an assertion', async () => {
  const { clientSecret } = service.credentials
  const withSecret = await sendForm(service, path, Object.entries({ clientId, clientSecret }))
  assertTokenError(withSecret, 401, 'invalid_client')
  const own = service.credentials.clientId
  assertTokenError(await send(await assertion({ iss: own, sub: own })), 401, 'invalid_client')
})

test('two methods at once, and incomplete or contradictory parameters, return invalid_request', async () => {
  const text = await assertion()
  for (const further of [
    { client_secret: 'x' },
    { clientId, clientSecret: 'x' },
    { client_id: 'sb_other' },
    { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
    { client_assertion: 'nonsense' },
    { client_assertion: '' },
  ] as Record<string, string>[])
    assertTokenError(await send(text, further), 400, 'invalid_request')
  assertToken(await send(text))
})

test('oauth4webapi, given only the issuer and its key, gets and revokes a token', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const client = { client_id: clientId }
  const authentication = oauth.PrivateKeyJwt({ key: privateKey, kid: 'one' })
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure)
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, response)
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authentication, token, insecure))
  assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 401)
})

test('other partners get tokens with their secret as before', async () => {
  const token = await getToken(service.baseUrl, service.credentials)
  assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
})
