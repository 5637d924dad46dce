import type { JSONWebKeySet, JWTPayload } from 'jose'
import type { Credential } from './partners.store.ts'
import { isScope, type Scope } from './scopes.ts'
import {
  mayHaveSigned,
  readVerificationKey,
  type TokenAlgorithm,
  tokenAlgorithms,
  type VerificationKey,
  type VerificationKeys,
} from './verification-key.ts'

/** The claim with the generation of a token's credential. Absent from tokens of the first one, 0. */
export const generationClaim = 'token_generation'

/** The conditions for accepting a token, and how to read its claims. */
export interface TokenRules {
  issuer: string
  audience: string
  keys: VerificationKeys
  algorithms: readonly TokenAlgorithm[]
  /**
   * The accepted values of the header's `typ`, in lower case and without `application/`. Undefined stands for a missing
   * `typ`.
   */
  types: readonly (string | undefined)[]
  /** How far the issuer's clock may differ from ours. */
  clockToleranceSeconds: number
  /** The longest time from issue to expiry. Undefined if the issuer decides how long its tokens last. */
  longestLifetimeSeconds?: number
  /** The id of the client that the token was issued to; undefined if the token does not say. */
  clientIdOf(claims: JWTPayload): string | undefined
  /** The generation of its credential to which the token belongs; undefined if it belongs to none. */
  generationOf(claims: JWTPayload): number | undefined
  /** The token's scopes; undefined if the token must name scopes but names none. */
  scopesOf(claims: JWTPayload, credential: Credential): readonly Scope[] | undefined
}

/** Rules for tokens that this service issues (`issue-token.ts`). */
export function embeddedTokenRules(own: {
  issuer: string
  audience: string
  /** The key set; the same object until a key is replaced. */
  publicKeys(): Promise<JSONWebKeySet>
  longestLifetimeSeconds: number
}): TokenRules {
  return {
    issuer: own.issuer,
    audience: own.audience,
    keys: verificationKeysOf(own.publicKeys),
    algorithms: ['ES256'],
    types: ['at+jwt'],
    clockToleranceSeconds: 0,
    longestLifetimeSeconds: own.longestLifetimeSeconds,
    clientIdOf: (claims) => text(claims.client_id),
    generationOf: ({ [generationClaim]: generation = 0 }) => (typeof generation === 'number' ? generation : -1),
    scopesOf: (claims) => (claims.scope === undefined ? undefined : words(claims.scope).filter(isScope)),
  }
}

function verificationKeysOf(publicKeys: () => Promise<JSONWebKeySet>): VerificationKeys {
  let read: { set: JSONWebKeySet; keys: readonly VerificationKey[] } | undefined
  return {
    async find(wanted, tried = []) {
      const set = await publicKeys()
      if (read?.set !== set) read = { set, keys: set.keys.flatMap((jwk) => readVerificationKey(jwk) ?? []) }
      return read.keys.filter((each) => mayHaveSigned(each, wanted) && !tried.includes(each.key)).map(({ key }) => key)
    },
    generation: publicKeys,
  }
}

/**
 * Rules for tokens from an external identity provider. Providers differ in the claim that names the client (`client_id`
 * according to RFC 9068, `azp`, or `sub`, sometimes with `@clients` appended), in the type (`at+jwt` according to RFC
 * 9068, often `JWT` or none) and in the claims that hold the scopes: `scope` (RFC 8693), `scp` or `permissions`. A
 * token with any of these claims grants those of its scopes that are ours and the credential's; a token with none of
 * them grants every scope of the credential.
 */
export function externalTokenRules(external: { issuer: string; audience: string; keys: VerificationKeys }): TokenRules {
  return {
    ...external,
    algorithms: tokenAlgorithms,
    types: ['at+jwt', 'jwt', undefined],
    clockToleranceSeconds: 30,
    clientIdOf: (claims) =>
      text(claims.client_id) ?? text(claims.azp) ?? text(claims.sub)?.replace(/@clients$/, '') ?? undefined,
    generationOf: () => undefined,
    scopesOf(claims, credential) {
      const scopeClaims = [claims.scope, claims.scp, claims.permissions].filter((claim) => claim !== undefined)
      if (scopeClaims.length === 0) return credential.scopes
      const named = scopeClaims.flatMap(words)
      return credential.scopes.filter((scope) => named.includes(scope))
    },
  }
}

function text(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}

/** Reads a space-separated string or a list. */
function words(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : []
}
