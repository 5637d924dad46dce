import { after, afterEach, beforeEach } from 'node:test'
import type { JWK } from 'jose'
import { sealOf } from '../../src/partners/credential-seal.ts'
import { createIdentityProvider } from '../../src/partners/identity-provider/http.ts'
import type { IdentityProvider } from '../../src/partners/identity-provider.ts'
import { noSettings } from '../../src/partners/partner-settings.schema.ts'
import type { Credential } from '../../src/partners/partners.store.ts'
import type { Scope } from '../../src/partners/scopes.ts'
import { externalTokenRules } from '../../src/partners/token-rules.ts'
import { createTokenVerifier, type TokenVerifier } from '../../src/partners/verify-token.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { createFieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import type { UpstreamLimits } from '../../src/platform/outbound/guard.ts'
import { createUpstream, type Upstream } from '../../src/platform/outbound/upstream.ts'
import {
  newSigningKey,
  signToken,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/identity-provider.ts'

export const audience = 'https://bills.example/partner-api'
export const credentialScopes: readonly Scope[] = ['quotes:read', 'quotes:write', 'customers:read']
const quick: Partial<UpstreamLimits> = {
  attemptMs: 30_000,
  deadlineMs: 40_000,
  retries: 0,
  failuresToOpen: 100,
}

/** A real identity provider that knows one partner's client, `acme`, and a new token verifier for each test. */
export interface ProviderFixture {
  provider: TestIdentityProvider
  key: JWK
  clock: { now(): Date; pass(seconds: number): void }
  adapter(): IdentityProvider
  verifier(): TokenVerifier
  /**
   * A token as the provider issues it, except for these claims and header members; the value `undefined` removes a
   * member.
   */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>, key?: JWK): Promise<string>
  /** How many times the keys were fetched in this test. */
  keyFetches(): number
  /** How many fetches of the keys have ended in this test, including those in the background. */
  keyFetchesEnded(): number
}

export async function startProviderFixture(): Promise<ProviderFixture> {
  const key = await newSigningKey('first')
  const client = { clientId: 'acme', clientSecret: 'the secret of acme' }
  const provider = await startIdentityProvider({ audience, keys: [key], clients: [client] })
  const open: Upstream[] = []
  let adapter: IdentityProvider
  let verifier: TokenVerifier
  let keys: Upstream
  let passed = 0
  let serial = 0
  const clock = {
    now: () => new Date(Date.now() + passed * 1000),
    pass(seconds: number) {
      passed += seconds
    },
  }
  const connect = (name: string) => {
    const upstream = createUpstream({ name, baseUrl: provider.issuer, limits: quick })
    open.push(upstream)
    return upstream
  }
  beforeEach(() => {
    passed = 0
    provider.requests.length = 0
    keys = connect('keys')
    adapter = createIdentityProvider({
      tokens: connect('tokens'),
      tokenPath: '/token',
      keys,
      keysPath: '/jwks',
      clock,
    })
    verifier = createVerifier(adapter, provider.issuer, clock)
  })
  afterEach(async () => {
    provider.respondWith(undefined)
    await Promise.all(open.splice(0).map((each) => each.close()))
  })
  after(() => provider.stop())
  return {
    provider,
    key,
    clock,
    adapter: () => adapter,
    verifier: () => verifier,
    token(claims = {}, header = {}, signedWith = key) {
      const iat = Math.floor(clock.now().getTime() / 1000)
      serial += 1
      const complete = { iss: provider.issuer, sub: 'acme', client_id: 'acme', aud: audience, iat, exp: iat + 60 }
      return signToken(signedWith, { ...complete, jti: String(serial), ...claims }, header)
    },
    keyFetchesEnded: () => keys.counters().calls,
    keyFetches: () => provider.requests.filter((each) => each === 'GET /jwks').length,
  }
}

/** Creates a token verifier with one registered client, `acme`. */
function createVerifier(keys: IdentityProvider, issuer: string, clock: { now(): Date }): TokenVerifier {
  const acme: Credential = {
    clientId: 'acme',
    partnerId: 'partner_a',
    secretHash: null,
    previousSecretHash: null,
    previousSecretUntil: null,
    scopes: [...credentialScopes],
    expiresAt: null,
    tokenGeneration: 1,
    allowedFrom: null,
    lastTokenOn: null,
    partnerDisabledAt: null,
    partnerSuspendedAt: null,
    settings: noSettings,
    clockOffsetSeconds: 0,
    createdAt: new Date(0),
  }
  const cipher = createFieldCipher([{ id: 'a', key: Buffer.alloc(32) }], Buffer.alloc(32))
  const stored = { ...acme, seal: sealOf(cipher, acme) }
  const db = {
    query: async ({ values }: { values: unknown[] }) => (values.includes('acme') ? [stored] : []),
  } as unknown as Database
  const partners = { find: async () => acme, forget: () => undefined }
  return createTokenVerifier(
    { db, clock, cipher, partners, revokedTokens: { includes: async () => false } },
    externalTokenRules({ issuer, audience, keys }),
  )
}
