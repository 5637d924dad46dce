import type { JSONWebKeySet, JWTPayload } from 'jose'
import type { Credential } from './partners.store.ts'
import { isScope, type Scope } from './scopes.ts'
import {
  mayHaveSigned,
  readVerificationKey,
  type TokenAlgorithm,
  tokenAlgorithms,
  type VerificationKeys,
} from './verification-key.ts'

/** What a token has to be for us to take it, and how it is read. */
export interface TokenRules {
  issuer: string
  audience: string
  keys: VerificationKeys
  algorithms: readonly TokenAlgorithm[]
  /** The header's `typ`, in lower case and without `application/`; undefined for none. */
  types: readonly (string | undefined)[]
  /** How far the issuer's clock may differ from ours. */
  clockToleranceSeconds: number
  /** Undefined where the token does not say whose it is. */
  clientIdOf(claims: JWTPayload): string | undefined
  /** What it allows; undefined where it had to say so and does not. */
  scopesOf(claims: JWTPayload, credential: Credential): readonly Scope[] | undefined
}

/** Tokens of our own making: exactly as `issue-token.ts` makes them. */
export function embeddedTokenRules(own: { issuer: string; audience: string; publicKeys: JSONWebKeySet }): TokenRules {
  const published = own.publicKeys.keys.flatMap((jwk) => readVerificationKey(jwk) ?? [])
  return {
    issuer: own.issuer,
    audience: own.audience,
    keys: {
      find: async (wanted, tried = []) =>
        published.filter((each) => mayHaveSigned(each, wanted) && !tried.includes(each.key)).map(({ key }) => key),
    },
    algorithms: ['ES256'],
    types: ['at+jwt'],
    clockToleranceSeconds: 0,
    clientIdOf: (claims) => text(claims.client_id),
    scopesOf: (claims) => (claims.scope === undefined ? undefined : words(claims.scope).filter(isScope)),
  }
}

/**
 * Tokens of an external identity provider. Providers differ in where they name the client (`client_id` by RFC 9068, `azp`, or
 * the subject, sometimes with `@clients` behind it), in the type (`at+jwt` by RFC 9068, often plain `JWT`, or none) and in where
 * scopes stand. What a token allows never goes beyond the credential; one that names no scope of ours allows all of it.
 */
export function externalTokenRules(external: { issuer: string; audience: string; keys: VerificationKeys }): TokenRules {
  return {
    ...external,
    algorithms: tokenAlgorithms,
    types: ['at+jwt', 'jwt', undefined],
    clockToleranceSeconds: 30,
    clientIdOf: (claims) =>
      text(claims.client_id) ?? text(claims.azp) ?? text(claims.sub)?.replace(/@clients$/, '') ?? undefined,
    scopesOf(claims, credential) {
      const named = [...words(claims.scope), ...words(claims.permissions)].filter(isScope)
      return named.length === 0 ? credential.scopes : credential.scopes.filter((scope) => named.includes(scope))
    },
  }
}

function text(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}

/** A space-separated text, or a list. */
function words(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : []
}
