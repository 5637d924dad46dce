import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { scopes } from '../../src/partners/scopes.ts'
import { call, connectPartner, getToken, partnerWithToken } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import { startSecondService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const { baseUrl, credentials } = service
const { issuer, audience } = service.config.auth

test('the published keys are ES256 public keys without a private part', async () => {
  const response = await call(baseUrl, 'GET', '/.well-known/jwks.json')
  assert.equal(response.headers.get('cache-control'), 'public, max-age=300')
  const [key, ...others] = succeeded(response).keys
  assert.ok(key && others.length === 0)
  const { kid, x, y, ...rest } = key
  assert.deepEqual(rest, { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' })
  for (const text of [kid, x, y]) assert.match(text ?? '', /^[\w-]{43}$/)
})

const methods = ['client_secret_basic', 'client_secret_post']

test('the metadata lists every endpoint, all on this server and working', async () => {
  const response = await call(baseUrl, 'GET', '/.well-known/oauth-authorization-server')
  const metadata = succeeded(response)
  assert.deepEqual(metadata, {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${issuer}/partner-api/Auth/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    scopes_supported: [...scopes],
    service_documentation: `${issuer}/docs`,
  })
  assert.equal((await fetch(metadata.service_documentation)).status, 200)
  assert.equal((await fetch(metadata.jwks_uri)).status, 200)
  for (const endpoint of [metadata.token_endpoint, metadata.revocation_endpoint])
    assert.equal((await fetch(endpoint)).status, 405)
})

test('a token is a JWT as RFC 9068 requires and can be verified with the published keys alone', async () => {
  const before = Math.floor(Date.now() / 1000)
  const token = await getToken(baseUrl, credentials)
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
  const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt' })
  const { kid, ...header } = protectedHeader
  assert.deepEqual(header, { alg: 'ES256', typ: 'at+jwt' })
  assert.match(String(kid), /^[\w-]{43}$/)
  assert.deepEqual(Object.keys(payload).sort(), ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub'])
  assert.equal(payload.sub, credentials.clientId)
  assert.equal(payload.client_id, credentials.clientId)
  assert.equal(payload.aud, `${baseUrl}/partner-api`)
  assert.equal(payload.scope, scopes.join(' '))
  assert.ok(payload.iat !== undefined && payload.iat >= before && payload.iat <= before + 5)
  assert.equal(payload.exp, payload.iat + 86_400)
  const other = await getToken(baseUrl, credentials)
  assert.notEqual((await jwtVerify(other, keys)).payload.jti, payload.jti)
})

test('a signing key and its tokens stay valid when the service restarts', async () => {
  const published = await call(baseUrl, 'GET', '/.well-known/jwks.json')
  const { token } = await connectPartner(baseUrl, credentials)
  const again = await startSecondService(service)
  try {
    const after = await call(again.baseUrl, 'GET', '/.well-known/jwks.json')
    assert.deepEqual(after.body, succeeded(published))
    assert.equal((await partnerWithToken(again.baseUrl, token).get('/Quotes')).status, 200)
    const newer = await getToken(again.baseUrl, credentials)
    assert.equal(decodeProtectedHeader(newer).kid, decodeProtectedHeader(token).kid)
    await jwtVerify(newer, createLocalJWKSet(succeeded(published)), { issuer, audience })
  } finally {
    await again.stop()
  }
})
