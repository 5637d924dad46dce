import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'
import { composeCipher } from '../../src/app/compose.ts'
import { readSigningKeys, type SigningKeys } from '../../src/partners/signing-keys.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { withLastBitChanged } from '../support/altered-token.ts'
import { call, connectPartner, getToken, partnerWithToken } from '../support/client.ts'
import { createOperator } from '../support/operator.ts'
import { withDatabase } from '../support/partners.ts'
import { rejected } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

const startedAt = '2026-12-01T09:00:00Z'
const clock = movableClock(startedAt)
const service = await startTestService({}, { clock })
after(() => service.stop())
const { issuer, audience } = service.config.auth

let keys: SigningKeys
before(() =>
  withDatabase(service, async (db) => {
    const secrets = await loadSecrets(service.environment, 'sandbox', service.config.dataDir)
    keys = await readSigningKeys({ db, cipher: await composeCipher(db, secrets) })
  }),
)

const later = (seconds: number) => new Date(Date.parse(startedAt) + seconds * 1000).toISOString()

async function challengeOf(authorization: string | undefined): Promise<string> {
  const response = await call(service.baseUrl, 'GET', '/partner-api/Quotes', undefined, {
    headers: authorization === undefined ? {} : { Authorization: authorization },
  })
  rejected(response, 401, 'unauthenticated')
  return response.headers.get('www-authenticate') ?? ''
}

/** A token signed with the service's own key. `claims` and `header` override members; `undefined` removes one. */
function forge(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key = keys.privateKey,
): Promise<string> {
  const { clientId } = service.credentials
  const now = Math.floor(clock.now().getTime() / 1000)
  const complete = {
    iss: issuer,
    sub: clientId,
    aud: audience,
    client_id: clientId,
    iat: now,
    exp: now + 60,
    jti: 'forged',
  }
  return new SignJWT({ ...complete, scope: 'quotes:read', ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys.keyId, ...header })
    .sign(key)
}

test('a malformed Authorization header returns 401 invalid_token', async () => {
  const token = await getToken(service.baseUrl, service.credentials)
  for (const header of [
    'Bearer',
    `Basic ${token}`,
    token,
    `Bearer ${token} ${token}`,
    `Bearer "${token}"`,
    'Bearer ü',
  ]) {
    assert.match(
      await challengeOf(Buffer.from(header).toString('latin1')),
      /^Bearer realm="housebill", error="invalid_token"/,
    )
  }
})

test('a token with any part altered is rejected even if the original was used before', async () => {
  const token = await getToken(service.baseUrl, service.credentials)
  assert.equal((await partnerWithToken(service.baseUrl, token).get('/Quotes')).status, 200)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const richer = Buffer.from(JSON.stringify({ ...claims, sub: 'someone-else' })).toString('base64url')
  for (const altered of [
    withLastBitChanged(token),
    `${header}.${richer}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${payload}.${signature}.`,
    `${header}.${payload}.${[...signature].reverse().join('')}`,
    `${payload}.${header}.${signature}`,
  ]) {
    assert.match(await challengeOf(`Bearer ${altered}`), /error="invalid_token"/)
  }
})

test('a token that is unsigned, or signed with the wrong algorithm or key, is rejected', async () => {
  const [, payload = ''] = (await getToken(service.baseUrl, service.credentials)).split('.')
  const headerOf = (alg: string) =>
    Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: keys.keyId })).toString('base64url')
  for (const alg of ['none', 'None', 'NONE'])
    assert.match(await challengeOf(`Bearer ${headerOf(alg)}.${payload}.`), /invalid_token/)

  // The public key used as an HMAC secret, in each of its encodings.
  const [jwk = {}] = keys.publicKeys.keys
  const publicKey = await importJWK(jwk, 'ES256', { extractable: true })
  assert.ok(!(publicKey instanceof Uint8Array))
  for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), String(jwk.x)]) {
    const signed = `${headerOf('HS256')}.${payload}`
    const signature = createHmac('sha256', secret).update(signed).digest('base64url')
    assert.match(await challengeOf(`Bearer ${signed}.${signature}`), /invalid_token/)
  }

  const { privateKey } = await generateKeyPair('ES256')
  assert.match(await challengeOf(`Bearer ${await forge({}, {}, privateKey)}`), /invalid_token/)
})

test('a token that carries its own key, or the address of one, is rejected', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const address = 'https://127.0.0.1:9/keys'
  for (const header of [{ jwk: await exportJWK(publicKey) }, { jku: address }, { x5u: address }])
    for (const kid of [keys.keyId, undefined])
      assert.match(await challengeOf(`Bearer ${await forge({}, { kid, ...header }, privateKey)}`), /invalid_token/)
})

test('a token is rejected if its audience, issuer, type or a required claim is wrong', async () => {
  const accepted = await forge()
  assert.equal((await partnerWithToken(service.baseUrl, accepted).get('/Quotes')).status, 200)
  const now = Math.floor(clock.now().getTime() / 1000)
  const forgeries = await Promise.all([
    forge({ aud: 'https://elsewhere.example/partner-api' }),
    forge({ aud: issuer }),
    forge({ aud: undefined }),
    forge({ iss: 'https://elsewhere.example' }),
    forge({ iss: undefined }),
    forge({}, { typ: 'JWT' }),
    forge({}, { typ: undefined }),
    forge({}, { kid: 'another' }),
    forge({ nbf: now + 3_600 }),
    forge({ exp: now - 1 }),
    forge({ exp: undefined }),
    forge({ client_id: undefined }),
    forge({ scope: undefined }),
  ])
  for (const token of forgeries) assert.match(await challengeOf(`Bearer ${token}`), /error="invalid_token"/)
})

test('a token signed with the real key is rejected if it lasts longer than any token we issue, whatever it says about itself', async () => {
  const now = Math.floor(clock.now().getTime() / 1000)
  const tenYears = 3_652 * 86_400
  const forgeries = await Promise.all([
    forge({ exp: now + tenYears }),
    forge({ iat: now + tenYears - 60, exp: now + tenYears }),
    forge({ iat: now, exp: now + 86_401 }),
  ])
  for (const token of forgeries)
    assert.match(await challengeOf(`Bearer ${token}`), /it lasts longer than any token of this service/)
  assert.match(await challengeOf(`Bearer ${await forge({ iat: undefined })}`), /error="invalid_token"/)
})

test('a token of either API is rejected if it was issued in the future, or is bound to a key', async () => {
  const now = Math.floor(clock.now().getTime() / 1000)
  const { clientId } = await createOperator(service)
  const forOperators = { aud: `${issuer}/operator-api`, client_id: clientId, sub: clientId, scope: 'contracts:read' }
  const ofOperator = async (claims: Record<string, unknown>) => {
    const headers = { Authorization: `Bearer ${await forge({ ...forOperators, ...claims })}` }
    return call(service.baseUrl, 'GET', '/operator-api/Contracts', undefined, { headers })
  }
  const soon = { iat: now + 59, exp: now + 100 }
  // The clock runs: well past the minute that is allowed, so that a slow machine does not reach it.
  const future = { iat: now + 600, exp: now + 700 }
  assert.equal((await ofOperator(soon)).status, 200)
  assert.match(rejected(await ofOperator(future), 401, 'unauthenticated').detail, /issued in the future/)
  assert.match(rejected(await ofOperator({ cnf: { jkt: 'x' } }), 401, 'unauthenticated').detail, /bound to a key/)
  assert.match(await challengeOf(`Bearer ${await forge(future)}`), /issued in the future/)
  // The scheme is accepted in any letter case.
  const headers = { Authorization: `bearer ${await forge(soon)}` }
  assert.equal((await call(service.baseUrl, 'GET', '/partner-api/Quotes', undefined, { headers })).status, 200)
})

test('after 24 hours a token is rejected, whether or not it was used before', async () => {
  clock.moveTo(later(60))
  const seen = await connectPartner(service.baseUrl, service.credentials)
  const unseen = await getToken(service.baseUrl, service.credentials)
  assert.equal((await seen.get('/Quotes')).status, 200)
  clock.moveTo(later(60 + 86_400 - 10))
  assert.equal((await seen.get('/Quotes')).status, 200)
  clock.moveTo(later(60 + 86_400 + 10))
  for (const token of [seen.token, unseen]) assert.match(await challengeOf(`Bearer ${token}`), /it has expired/)
  const renewed = await connectPartner(service.baseUrl, service.credentials)
  assert.equal((await renewed.get('/Quotes')).status, 200, 'a new token works')
})
