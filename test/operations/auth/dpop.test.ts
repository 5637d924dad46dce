import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { sql } from '../../../src/db/sql.ts'
import { addCredential } from '../../../src/domain/auth/manage-credentials.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { call, getToken } from '../../support/client.ts'
import { withDatabase } from '../../support/partners.ts'
import type { Token } from '../../support/response-types.ts'
import { rejected } from '../../support/responses.ts'
import { startSecondService } from '../../support/second-service.ts'
import { startTestService } from '../../support/service.ts'
import { assertTokenError, sendJson } from './token-calls.ts'

const service = await startTestService()
after(() => service.stop())
const { issuer } = service.config.auth
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(publicKey)
const tokenPath = '/partner-api/Auth/token'
const quotes = '/partner-api/Quotes'

/** New credentials of the sandbox's partner with the scope quotes:read. */
async function newCredentials(requiresDpop: boolean): Promise<{ clientId: string; clientSecret: string }> {
  const wanted = { partner: service.credentials.clientId, scopes: ['quotes:read'] as const, requiresDpop }
  const deps = { clock: systemClock, realm: 'sandbox' } as const
  const added = await withDatabase(service, (db) => addCredential({ db, ...deps }, wanted))
  if ('refused' in added || added.clientSecret === undefined) throw new Error('no credentials were added')
  return { clientId: added.clientId, clientSecret: added.clientSecret }
}

/** Credentials whose tokens must be bound to a key. */
const strict = await newCredentials(true)

interface Changes {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: typeof privateKey
}

/** A proof for the request. `changes` overrides claims and header members. */
function proofFor(method: string, path: string, token?: string, { claims, header, key = privateKey }: Changes = {}) {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  const complete = { htm: method, htu: `${issuer}${path}`, iat: Math.floor(Date.now() / 1000), jti: randomUUID() }
  return new SignJWT({ ...complete, ...ath, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(key)
}

async function boundToken(credentials = strict): Promise<string> {
  const response = await sendJson(service, tokenPath, credentials, { DPoP: await proofFor('POST', tokenPath) })
  assert.equal(response.status, 200, response.text)
  const { access_token: token, token_type: type } = response.body as Token
  assert.equal(type, 'DPoP')
  return token
}

const get = (headers: Record<string, string>, path = quotes, baseUrl = service.baseUrl) =>
  call(baseUrl, 'GET', path, undefined, { headers })

async function reasonFor(headers: Record<string, string>): Promise<string> {
  const response = await get(headers)
  rejected(response, 401, 'unauthenticated')
  const challenge = response.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /^DPoP realm="housebill", error="(invalid_token|invalid_dpop_proof)", .*algs="ES256 /)
  return challenge
}

test('a token call with a proof returns a token bound to the key, which works with a proof of that key', async () => {
  const token = await boundToken()
  assert.deepEqual(decodeJwt(token).cnf, { jkt: await calculateJwkThumbprint(jwk) })
  const headers = async (method: string, path: string) => ({
    Authorization: `DPoP ${token}`,
    DPoP: await proofFor(method, path, token),
  })
  assert.equal((await get(await headers('GET', quotes))).status, 200)
  assert.equal((await get(await headers('GET', quotes), `${quotes}?limit=1`)).status, 200)
  assert.equal((await get(await headers('GET', '/partner-api/quotes'), '/partner-api/quotes')).status, 200)
  const head = await fetch(`${service.baseUrl}${quotes}`, { method: 'HEAD', headers: await headers('HEAD', quotes) })
  assert.equal(head.status, 200)
})

test('a stolen bound token is useless as Bearer, without a proof, or with a proof of another key', async () => {
  const token = await boundToken()
  const thief = await generateKeyPair('ES256', { extractable: true })
  const header = { jwk: await exportJWK(thief.publicKey) }
  const foreign = await proofFor('GET', quotes, token, { key: thief.privateKey, header })
  const proof = () => proofFor('GET', quotes, token)
  assert.match(await reasonFor({ Authorization: `Bearer ${token}` }), /send it as DPoP/)
  assert.match(await reasonFor({ Authorization: `Bearer ${token}`, DPoP: await proof() }), /send it as DPoP/)
  assert.match(await reasonFor({ Authorization: `DPoP ${token}` }), /the DPoP header is missing/)
  assert.match(await reasonFor({ Authorization: `DPoP ${token}`, DPoP: foreign }), /signed with another key/)
  assert.match(await reasonFor({ Authorization: `DPoP ${token}x`, DPoP: await proof() }), /error="invalid_token"/)
})

test('a proof works once, also if another process receives it at the same time', async () => {
  const second = await startSecondService(service)
  after(() => second.stop())
  const token = await boundToken()
  const headers = { Authorization: `DPoP ${token}`, DPoP: await proofFor('GET', quotes, token) }
  const responses = await Promise.all(
    [service, second, service, second].map(({ baseUrl }) => get(headers, quotes, baseUrl)),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 401, 401, 401])
  assert.match(await reasonFor(headers), /it was used before/)
})

test('a proof for another request, too old, too new or malformed is rejected with the reason', async () => {
  const token = await boundToken()
  const now = Math.floor(Date.now() / 1000)
  const other = await generateKeyPair('ES256')
  const claims = (changes: Record<string, unknown>) => proofFor('GET', quotes, token, { claims: changes })
  const header = (changes: Record<string, unknown>) => proofFor('GET', quotes, token, { header: changes })
  for (const [proof, reason] of [
    [await claims({ htm: 'POST' }), /its htm must be GET/],
    [await claims({ htu: `${issuer}/partner-api/Customers/psr-categories` }), /its htu must be/],
    [await claims({ htu: `https://elsewhere.example${quotes}` }), /its htu must be/],
    [await claims({ htu: 1 }), /its htu must be/],
    [await claims({ iat: now - 70 }), /its iat must be at most 60 seconds/],
    [await claims({ iat: now + 70 }), /its iat must be at most 60 seconds/],
    [await claims({ jti: undefined }), /its jti is missing/],
    [await claims({ jti: '' }), /its jti must be a text/],
    [await claims({ ath: undefined }), /its ath must be/],
    [await claims({ ath: createHash('sha256').update('other').digest('base64url') }), /its ath must be/],
    [await header({ typ: 'JWT' }), /its typ is missing or wrong/],
    [await header({ jwk: undefined }), /not a JWT that is signed/],
    [await header({ jwk: { kty: 'EC' } }), /not a JWT that is signed/],
    [await header({ jwk: 1 }), /not a JWT that is signed/],
    [await header({ jwk: { ...jwk, x: 1 } }), /not a JWT that is signed/],
    [await header({ jwk: await exportJWK(privateKey) }), /not a JWT that is signed/],
    [await proofFor('GET', quotes, token, { key: other.privateKey }), /not a JWT that is signed/],
    ['nonsense', /not a JWT/],
  ] as const)
    assert.match(await reasonFor({ Authorization: `DPoP ${token}`, DPoP: proof }), reason)
})

test('credentials that require DPoP get no token without a proof or with a bad one', async () => {
  assert.match(assertTokenError(await sendJson(service, tokenPath, strict), 400, 'invalid_dpop_proof'), /require one/)
  const used = await proofFor('POST', tokenPath)
  assert.equal((await sendJson(service, tokenPath, strict, { DPoP: used })).status, 200)
  for (const proof of ['nonsense', used, await proofFor('POST', '/oauth/token')])
    assertTokenError(await sendJson(service, tokenPath, strict, { DPoP: proof }), 400, 'invalid_dpop_proof')
})

test('other credentials get Bearer tokens as before, and bound ones if the call has a proof', async () => {
  const token = await getToken(service.baseUrl, service.credentials)
  assert.equal((await get({ Authorization: `Bearer ${token}` })).status, 200)
  const proof = await proofFor('GET', quotes, token)
  assert.match(await reasonFor({ Authorization: `DPoP ${token}`, DPoP: proof }), /send it as Bearer/)
  const bound = await boundToken(service.credentials)
  assert.match(await reasonFor({ Authorization: `Bearer ${bound}` }), /send it as DPoP/)
})

test('a Bearer token is rejected once its credentials require DPoP', async () => {
  const credentials = await newCredentials(false)
  const token = await getToken(service.baseUrl, credentials)
  await withDatabase(service, (db) =>
    db.query(sql`update credentials set requires_dpop = true where client_id = ${credentials.clientId}`),
  )
  assert.match(await reasonFor({ Authorization: `Bearer ${token}` }), /require a token that is bound to a key/)
})

test('a missing scope is reported in the scheme of the token', async () => {
  const token = await boundToken()
  const path = '/partner-api/Webhooks'
  const response = await get({ Authorization: `DPoP ${token}`, DPoP: await proofFor('GET', path, token) }, path)
  rejected(response, 403, 'insufficient_scope')
  assert.match(response.headers.get('www-authenticate') ?? '', /^DPoP .*scope="webhooks:manage"/)
})

test('oauth4webapi, given only the issuer, gets a bound token and calls the API with it', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
  const client = { client_id: strict.clientId }
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'))
  const authentication = oauth.ClientSecretBasic(strict.clientSecret)
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, { DPoP, ...insecure })
  const { access_token: token, token_type: type } = await oauth.processClientCredentialsResponse(
    server,
    client,
    response,
  )
  assert.equal(type, 'dpop')
  const url = new URL(`${service.baseUrl}${quotes}?limit=1`)
  const options = { DPoP, ...insecure }
  assert.equal((await oauth.protectedResourceRequest(token, 'GET', url, undefined, undefined, options)).status, 200)
})
