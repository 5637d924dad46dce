import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { call, getToken, partnerWithToken } from '../support/client.ts'
import { connectWithScopes } from '../support/partners.ts'
import type { Token } from '../support/response-types.ts'
import { rejected } from '../support/responses.ts'
import { movableClock, startSecondService, startTestService } from '../support/service.ts'
import { assertTokenError, basicAuthorization, sendForm, sendJson } from './token-calls.ts'

const clock = movableClock('2026-12-01T09:00:00Z')
const service = await startTestService({}, { clock })
const second = await startSecondService(service, { clock })
after(async () => {
  await second.stop()
  await service.stop()
})
const { clientId, clientSecret } = service.credentials
const path = '/partner-api/Auth/revoke'

const newToken = () => getToken(service.baseUrl, service.credentials)
const statusAt = async (baseUrl: string, token: string) =>
  (await partnerWithToken(baseUrl, token).get('/Quotes')).status

function assertRevoked(response: { status: number; text: string; headers: Headers }): void {
  assert.deepEqual([response.status, response.text], [200, '{}'])
  assert.equal(response.headers.get('cache-control'), 'no-store')
}

test('a revoked token is rejected at once in this process and within two seconds in another', async () => {
  const token = await newToken()
  const other = await newToken()
  for (const { baseUrl } of [service, second]) assert.equal(await statusAt(baseUrl, token), 200)
  assertRevoked(await sendJson(service, path, { clientId, clientSecret, token }))
  const response = await partnerWithToken(service.baseUrl, token).get('/Quotes')
  rejected(response, 401, 'unauthenticated')
  assert.match(
    response.headers.get('www-authenticate') ?? '',
    /error="invalid_token", error_description="it was revoked"/,
  )
  clock.moveTo(new Date(clock.now().getTime() + 2_000).toISOString())
  assert.equal(await statusAt(second.baseUrl, token), 401)
  for (const { baseUrl } of [service, second]) assert.equal(await statusAt(baseUrl, other), 200)
})

test('a process that starts later rejects the token as well', async () => {
  const token = await newToken()
  assertRevoked(await sendJson(service, path, { clientId, clientSecret, token }))
  const third = await startSecondService(service, { clock })
  after(() => third.stop())
  assert.equal(await statusAt(third.baseUrl, token), 401)
})

test('a token can be revoked in JSON and in a form, in both namings and with HTTP Basic', async () => {
  const provider = { client_id: clientId, client_secret: clientSecret, token_type_hint: 'access_token' }
  const basic = { Authorization: basicAuthorization(clientId, clientSecret) }
  const revoke = [
    (token: string) => sendJson(service, path, { clientId, clientSecret, token }),
    (token: string) => sendJson(service, path, { ...provider, token }),
    (token: string) => sendForm(service, path, Object.entries({ clientId, clientSecret, token })),
    (token: string) => sendForm(service, path, Object.entries({ ...provider, token, token_type_hint: 'unknown' })),
    (token: string) => sendForm(service, path, [['token', token]], basic),
    (token: string) => sendJson(service, path, { token }, basic),
  ]
  for (const each of revoke) {
    const token = await newToken()
    assert.equal(await statusAt(service.baseUrl, token), 200)
    assertRevoked(await each(token))
    assert.equal(await statusAt(service.baseUrl, token), 401)
  }
})

test('oauth4webapi, given only the issuer, finds the endpoint and revokes a token', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(service.config.auth.issuer)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  )
  for (const authentication of [oauth.ClientSecretBasic(clientSecret), oauth.ClientSecretPost(clientSecret)]) {
    const token = await newToken()
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, { client_id: clientId }, authentication, token, insecure),
    )
    assert.equal(await statusAt(service.baseUrl, token), 401)
  }
})

test('a token that is unknown, altered, expired or already revoked returns 200', async () => {
  const token = await newToken()
  const old = await newToken()
  clock.moveTo(new Date(clock.now().getTime() + 86_400_000).toISOString())
  const current = await newToken()
  for (const each of ['nonsense', 'a.b.c', `${token}x`, old, current, current])
    assertRevoked(await sendJson(service, path, { clientId, clientSecret, token: each }))
})

test('a token of other credentials is rejected and keeps working, even if they belong to the same partner', async () => {
  const { token } = await connectWithScopes(service, ['quotes:read'])
  const response = await sendJson(service, path, { clientId, clientSecret, token })
  assert.match(assertTokenError(response, 400, 'invalid_request'), /^This token was issued to other credentials/)
  assert.equal(await statusAt(service.baseUrl, token), 200)
})

test('a wrong secret returns invalid_client, with a challenge after HTTP Basic, and revokes nothing', async () => {
  const token = await newToken()
  assertTokenError(await sendJson(service, path, { clientId, clientSecret: 'wrong', token }), 401, 'invalid_client')
  const basic = { Authorization: basicAuthorization(clientId, 'wrong') }
  const response = await sendForm(service, path, [['token', token]], basic)
  assertTokenError(response, 401, 'invalid_client')
  assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /)
  assert.equal(await statusAt(service.baseUrl, token), 200)
})

test('a request without a token or credentials returns invalid_request and names the parameter', async () => {
  const token = 'any'
  for (const [body, missing] of [
    [{ clientId, clientSecret }, 'token'],
    [{ clientId, token }, 'clientSecret'],
    [{ client_secret: clientSecret, token }, 'client_id'],
    [{ clientId, clientSecret, token: null }, 'token'],
  ] as const) {
    const description = assertTokenError(await sendJson(service, path, body), 400, 'invalid_request')
    assert.match(description, new RegExp(`^${missing} is missing`))
  }
  const number = await sendJson(service, path, { clientId, clientSecret, token: 1 })
  assert.equal(assertTokenError(number, 400, 'invalid_request'), 'token must be a string')
})

test('too many revocations return 429, because secrets could be guessed here too', async () => {
  const limited = await startTestService({ TOKEN_RATE_LIMIT_PER_MINUTE: '2' })
  after(() => limited.stop())
  const revoke = () => sendJson(limited, path, { clientId, clientSecret: 'wrong', token: 'any' })
  for (const status of [401, 401, 429]) assert.equal((await revoke()).status, status)
  assert.match(assertTokenError(await revoke(), 429, 'slow_down'), /retry more slowly/)
})

const shorter = await startSecondService(
  { ...service, environment: { ...service.environment, ACCESS_TOKEN_SECONDS: '300' } },
  { clock },
)
after(() => shorter.stop())

const later = (seconds: number) => clock.moveTo(new Date(clock.now().getTime() + seconds * 1_000).toISOString())
const statusOf = (token: string) => statusAt(shorter.baseUrl, token)

test('with ACCESS_TOKEN_SECONDS, new tokens expire after that time, and earlier ones work until they expire', async () => {
  const earlier = await getToken(service.baseUrl, service.credentials)
  const response = await call(shorter.baseUrl, 'POST', '/partner-api/Auth/token', service.credentials)
  const { access_token: token, expires_in: expiresIn } = response.body as Token
  const { exp = 0, iat = 0 } = decodeJwt(token)
  assert.deepEqual([expiresIn, exp - iat], [300, 300])
  assert.deepEqual([await statusOf(token), await statusOf(earlier)], [200, 200])
  later(301)
  assert.deepEqual([await statusOf(token), await statusOf(earlier)], [401, 200])
  later(86_000)
  assert.equal(await statusOf(earlier), 200)
  later(200)
  assert.equal(await statusOf(earlier), 401)
})
