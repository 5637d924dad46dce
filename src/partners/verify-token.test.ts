import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Database } from '../platform/db/database.ts'
import { createFieldCipher } from '../platform/kernel/field-encryption.ts'
import { sealOf } from './credential-seal.ts'
import { noSettings } from './partner-settings.schema.ts'
import type { Credential } from './partners.store.ts'
import { tokenIdOf } from './revocation/revoked-tokens.ts'
import { scopes } from './scopes.ts'
import { embeddedTokenRules } from './token-rules.ts'
import { createTokenVerifier } from './verify-token.ts'

const issuer = 'https://issuer.example'
const audience = 'https://issuer.example/partner-api'
const { publicKey, privateKey } = await generateKeyPair('ES256')
const publicKeys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }

const rules = embeddedTokenRules({
  issuer,
  audience,
  publicKeys: async () => publicKeys,
  longestLifetimeSeconds: 86_400,
})

function issue(now: Date, jti = 'a', further: Record<string, unknown> = {}): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ client_id: 'sb_a', scope: 'quotes:read unheard-of customers:read', ...further })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 3_600)
    .setJti(jti)
    .sign(privateKey)
}

const cipher = createFieldCipher([{ id: 'a', key: Buffer.alloc(32) }], Buffer.alloc(32))

/** A verifier and the data it reads. `checks` counts credential lookups, one for each signature check. */
function setUp() {
  const known = {
    now: new Date('2026-12-01T09:00:00Z'),
    checks: 0,
    tokenGeneration: 0,
    revoked: [] as string[],
    disabledAt: null as Date | null,
    expiresAt: null as Date | null,
    isRemoved: false,
    scopes: [...scopes],
    offset: 0,
    createdAt: new Date('2026-11-01T09:00:00Z'),
  }
  const db = {
    query: async () => {
      known.checks += 1
      const stored = { clientId: 'sb_a', partnerId: 'partner_a', scopes: [], secretHash: null }
      return [{ ...stored, seal: sealOf(cipher, stored) }]
    },
  } as unknown as Database
  const partners = {
    find: async (clientId: string): Promise<Credential | undefined> =>
      known.isRemoved
        ? undefined
        : {
            clientId,
            partnerId: 'partner_a',
            secretHash: null,
            previousSecretHash: null,
            previousSecretUntil: null,
            scopes: known.scopes,
            expiresAt: known.expiresAt,
            tokenGeneration: known.tokenGeneration,
            allowedFrom: null,
            lastTokenOn: null,
            partnerDisabledAt: known.disabledAt,
            partnerSuspendedAt: null,
            settings: noSettings,
            clockOffsetSeconds: known.offset,
            createdAt: known.createdAt,
          },
    forget: () => undefined,
  }
  const clock = { now: () => known.now }
  const revokedTokens = { includes: async (tokenId: string) => known.revoked.includes(tokenId) }
  return { known, verifier: createTokenVerifier({ db, cipher, clock, partners, revokedTokens }, rules) }
}

test('a token that is used again is accepted without a second signature check', async () => {
  const { known, verifier } = setUp()
  const token = await issue(known.now)
  const first = await verifier.verify(token)
  assert.deepEqual(first, {
    partnerId: 'partner_a',
    clientId: 'sb_a',
    scopes: ['quotes:read', 'customers:read'],
    now: known.now,
    isSuspended: false,
    settings: noSettings,
    allowedFrom: null,
    token: { tokenId: tokenIdOf(token), expiresAt: new Date(known.now.getTime() + 3_600_000) },
  })
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await verifier.verify(token), first)
  assert.equal(known.checks, 1)
  await verifier.verify(await issue(known.now, 'b'))
  assert.equal(known.checks, 2)
})

test('a cached token is rejected once it has expired or its partner is disabled', async () => {
  const { known, verifier } = setUp()
  const token = await issue(known.now)
  assert.ok('partnerId' in (await verifier.verify(token)))
  known.disabledAt = known.now
  assert.deepEqual(await verifier.verify(token), { rejected: 'its partner is disabled' })
  known.disabledAt = null
  assert.ok('partnerId' in (await verifier.verify(token)))
  known.now = new Date(known.now.getTime() + 3_600_000)
  assert.deepEqual(await verifier.verify(token), { rejected: 'it has expired' })
  assert.deepEqual(await verifier.verify(token), { rejected: 'it has expired' })
})

test('a cached token is affected at once when its credentials are removed, expire or lose scopes', async () => {
  const { known, verifier } = setUp()
  const token = await issue(known.now)
  assert.ok('partnerId' in (await verifier.verify(token)))
  known.scopes = ['customers:read', 'webhooks:manage']
  const narrowed = await verifier.verify(token)
  assert.deepEqual('scopes' in narrowed && narrowed.scopes, ['customers:read'])
  known.expiresAt = known.now
  assert.deepEqual(await verifier.verify(token), { rejected: 'its credentials have expired' })
  known.expiresAt = new Date(known.now.getTime() + 1)
  assert.ok('partnerId' in (await verifier.verify(token)))
  known.isRemoved = true
  assert.deepEqual(await verifier.verify(token), { rejected: 'its credentials were removed' })
})

test("a sandbox clock that is ahead changes the time of the partner's calls but not the token's expiry", async () => {
  const { known, verifier } = setUp()
  known.offset = 86_400
  const grant = await verifier.verify(await issue(known.now))
  assert.ok('now' in grant)
  assert.equal(grant.now.toISOString(), '2026-12-02T09:00:00.000Z')
})

test('a rejected token that is used again is checked again', async () => {
  const { known, verifier } = setUp()
  const token = await issue(new Date(known.now.getTime() - 7_200_000))
  assert.deepEqual(await verifier.verify(token), { rejected: 'it has expired' })
  known.now = new Date(known.now.getTime() - 7_000_000)
  assert.ok('partnerId' in (await verifier.verify(token)))
})

test('a cached token is rejected once it is revoked, even if its signature is replaced by another valid one', async () => {
  const { known, verifier } = setUp()
  const token = await issue(known.now)
  assert.ok('partnerId' in (await verifier.verify(token)))
  known.revoked = [tokenIdOf(token)]
  assert.deepEqual(await verifier.verify(token), { rejected: 'it was revoked' })
  const again = withOtherSignature(token)
  assert.notEqual(again, token)
  assert.deepEqual(await verifier.verify(again), { rejected: 'it was revoked' })
})

test('tokens of an earlier generation are rejected, whether or not they were used before; those of a later one are not', async () => {
  const { known, verifier } = setUp()
  const [first, unused] = [await issue(known.now), await issue(known.now, 'b')]
  const next = await issue(known.now, 'c', { token_generation: 1 })
  const strange = await issue(known.now, 'd', { token_generation: '1' })
  const accepted = async () => {
    const outcomes = await Promise.all([first, unused, next, strange].map((token) => verifier.verify(token)))
    return outcomes.map((outcome) => 'partnerId' in outcome)
  }
  assert.ok('partnerId' in (await verifier.verify(first)))
  known.tokenGeneration = 1
  assert.deepEqual(await accepted(), [false, false, true, false])
  known.tokenGeneration = 0
  assert.deepEqual(await accepted(), [true, true, true, false])
})

test('a token that is bound to a key is rejected, because nothing here checks that its caller has the key', async () => {
  const { known, verifier } = setUp()
  for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, 'x', null])
    assert.deepEqual(await verifier.verify(await issue(known.now, 'a', { cnf })), {
      rejected: 'it is bound to a key, and this service accepts only tokens that are not',
    })
})

test('a token is rejected if it is older than its credentials, as when a client id was removed and registered again', async () => {
  const { known, verifier } = setUp()
  const token = await issue(known.now)
  known.createdAt = new Date(known.now.getTime() + 999)
  assert.ok('partnerId' in (await verifier.verify(token)), 'the claim is in whole seconds')
  known.createdAt = new Date(known.now.getTime() + 1_000)
  assert.deepEqual(await verifier.verify(token), { rejected: 'it was issued before its credentials were made' })
})

/** The order of the curve P-256. If (r, s) is a signature, so is (r, order - s). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function withOtherSignature(token: string): string {
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return [header, payload, other.toString('base64url')].join('.')
}
