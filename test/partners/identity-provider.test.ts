import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { exportSPKI, importJWK } from 'jose'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { newSigningKey } from '../support/identity-provider.ts'
import { audience, credentialScopes, startProviderFixture } from './identity-provider-fixture.ts'

const { provider, key, clock, adapter, verifier, token, keyFetches } = await startProviderFixture()
const foreign = 'it was not issued for this service or has been altered'

async function scopesOf(text: string): Promise<readonly string[]> {
  const outcome = await verifier().verify(text)
  assert.ok('scopes' in outcome, JSON.stringify(outcome))
  assert.deepEqual([outcome.partnerId, outcome.clientId], ['partner_a', 'acme'])
  return outcome.scopes
}

async function assertRejected(text: string, reason: string): Promise<void> {
  assert.deepEqual(await verifier().verify(text), { rejected: reason })
}

test('a token issued by the provider belongs to its client and has all the scopes of the credential', async () => {
  const request = { clientId: 'acme', clientSecret: 'the secret of acme', audience }
  const answer = await adapter().requestToken(request)
  assert.ok('accessToken' in answer)
  assert.equal(answer.lifetimeSeconds, 3_600)
  assert.deepEqual(await scopesOf(answer.accessToken), credentialScopes)
  assert.deepEqual(await adapter().requestToken({ ...request, clientSecret: 'wrong' }), {
    rejected: 'invalid_client',
    code: 'invalid_client',
  })
  assert.deepEqual(await adapter().requestToken({ ...request, audience: 'https://elsewhere.example' }), {
    rejected: 'invalid_request',
    code: 'invalid_target',
  })
})

test('a 401 from the provider means that the credentials are wrong, whatever its error code', async () => {
  for (const error of ['access_denied', 'unauthorized_client', 'something_else']) {
    provider.respondWith((_request, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
    )
    const answer = await adapter().requestToken({ clientId: 'acme', clientSecret: 'wrong', audience })
    assert.ok('rejected' in answer && answer.rejected === 'invalid_client')
  }
})

test('the client id is read from client_id, otherwise from azp, otherwise from the subject without "@clients"', async () => {
  const none = { client_id: undefined, sub: undefined }
  await scopesOf(await token({ ...none, client_id: 'acme', azp: 'other', sub: 'other' }))
  await scopesOf(await token({ ...none, azp: 'acme', sub: 'other' }))
  await scopesOf(await token({ ...none, sub: 'acme' }))
  await scopesOf(await token({ ...none, sub: 'acme@clients' }))
  await assertRejected(await token(none), foreign)
  await assertRejected(await token({ ...none, client_id: ['acme'] }), foreign)
  for (const clientId of ['other', 'acme@clients', 'ACME', 'acme\0', 'ü'])
    await assertRejected(await token({ client_id: clientId }), 'its client is not registered with this service')
})

test('a token grants the scopes that it shares with the credential, or all scopes of the credential if it has no claim of scopes', async () => {
  for (const [claims, expected] of [
    [{ scope: 'openid quotes:read' }, ['quotes:read']],
    [{ scope: ['quotes:read', 'customers:read'] }, ['quotes:read', 'customers:read']],
    [{ permissions: ['quotes:write', 'other'] }, ['quotes:write']],
    [{ permissions: 'quotes:write other' }, ['quotes:write']],
    [{ scp: 'openid quotes:read webhooks:manage' }, ['quotes:read']],
    [{ scp: ['openid', 'quotes:read'] }, ['quotes:read']],
    [{ scp: null }, []],
    [{ scope: 'quotes:read', permissions: ['quotes:write'] }, ['quotes:read', 'quotes:write']],
    [{ scope: 'quotes:read webhooks:manage' }, ['quotes:read']],
    [{ scope: 'webhooks:manage' }, []],
    [{ scope: 'openid email' }, []],
    [{ scope: '', permissions: [] }, []],
    [{ permissions: [7, null] }, []],
    [{}, credentialScopes],
  ] as const)
    assert.deepEqual(await scopesOf(await token(claims)), expected, JSON.stringify(claims))
})

test('the token type may be that of RFC 9068, JWT or absent; other types are rejected', async () => {
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined])
    await scopesOf(await token({}, { typ }))
  for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', ''])
    await assertRejected(await token({}, { typ }), foreign)
})

test('a token for another audience, from another issuer, or without a required claim is rejected', async () => {
  for (const claims of [
    { aud: 'https://elsewhere.example' },
    { aud: undefined },
    { aud: [] },
    { iss: `${provider.issuer}/` },
    { iss: undefined },
    { exp: undefined },
    { nbf: Math.floor(Date.now() / 1000) + 3_600 },
  ])
    await assertRejected(await token(claims), foreign)
  await scopesOf(await token({ aud: ['https://elsewhere.example', audience] }))
})

test('a token is accepted for 30 seconds after it expires, to allow for clock differences, and then rejected as expired', async () => {
  const now = Math.floor(clock.now().getTime() / 1000)
  const [seen, unseen] = [await token({ exp: now + 10 }), await token({ exp: now + 10 })]
  await scopesOf(seen)
  await scopesOf(await token({ nbf: now + 25 }))
  clock.pass(35)
  await scopesOf(seen)
  await scopesOf(unseen)
  clock.pass(10)
  await assertRejected(seen, 'it has expired')
  await assertRejected(await token({ exp: now + 10 }), 'it has expired')
})

test('a token signed with any supported algorithm is accepted, but only if the key is of the matching type', async () => {
  const keys = await Promise.all([
    newSigningKey('rs', 'RS256'),
    newSigningKey('ps', 'PS256'),
    newSigningKey('ed', 'EdDSA'),
    newSigningKey('longer', 'ES384'),
    newSigningKey('other', 'RS512'),
  ])
  provider.useKeys([key, ...keys])
  try {
    for (const each of keys.slice(0, 3)) await scopesOf(await token({}, {}, each))
    for (const each of keys.slice(3)) await assertRejected(await token({}, {}, each), foreign)
    const [rs = key] = keys
    await assertRejected(await token({}, {}, { ...rs, alg: 'PS256' }), foreign)
    await assertRejected(await token({}, { kid: 'rs' }), foreign)
  } finally {
    provider.useKeys([key])
  }
})

test('a token without a signature, or signed with the public key as a shared secret, is rejected without fetching keys', async () => {
  const [, payload = ''] = (await token()).split('.')
  const header = (alg: string) =>
    Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: key.kid })).toString('base64url')
  for (const alg of ['none', 'None', 'NONE']) await assertRejected(`${header(alg)}.${payload}.`, foreign)
  const { d: _private, ...publicJwk } = key
  const publicKey = await importJWK(publicJwk, 'ES256', { extractable: true })
  assert.ok(!(publicKey instanceof Uint8Array))
  for (const secret of [await exportSPKI(publicKey), JSON.stringify(publicJwk), String(key.x)]) {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS512', 'sha512'],
    ] as const) {
      const signed = `${header(alg)}.${payload}`
      const signature = createHmac(hash, secret).update(signed).digest('base64url')
      await assertRejected(`${signed}.${signature}`, foreign)
    }
  }
  await assertRejected(await token({ iss: 'https://elsewhere.example' }, { kid: 'unheard of' }), foreign)
  assert.equal(keyFetches(), 0)
})

test('requesting a token from an unreachable provider throws an UpstreamFailure that names neither the secret nor the client', async () => {
  await provider.goDown()
  try {
    const outcome = await adapter()
      .requestToken({ clientId: 'acme', clientSecret: 'the secret of acme', audience })
      .catch((error: unknown) => error)
    assert.ok(outcome instanceof UpstreamFailure)
    assert.doesNotMatch(outcome.message, /acme/)
    const verified = await verifier()
      .verify(await token())
      .catch((error: unknown) => error)
    assert.ok(verified instanceof DomainError && verified.code === 'service_unavailable')
    assert.ok((verified.retryAfterSeconds ?? 0) >= 1)
  } finally {
    await provider.comeBack()
  }
})
