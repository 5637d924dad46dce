import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { authenticateClient, type ClientAuthentication, type TokenCallOrigin } from './authenticate-client.ts'
import { endOfCredential } from './credential-validity.ts'
import type { Credential } from './partners.store.ts'
import { recordLastTokenDay } from './record-last-token-day.ts'
import { isScope, type Scope } from './scopes.ts'
import { signAccessToken, type TokenIssue } from './sign-token.ts'

export type TokenRequest = ClientAuthentication & {
  /** Scopes separated by spaces. If absent, the token gets every scope of the credentials. */
  scope?: string
}

/** A client that has proved itself. */
export type ProvenClient = Pick<Credential, 'clientId' | 'partnerId'>

/** A token, or an RFC 6749 error with a description for the developer. */
export type TokenOutcome =
  | {
      accessToken: string
      expiresInSeconds: number
      scope: string
      client: ProvenClient
    }
  | { error: 'invalid_request' | 'invalid_client'; description: string }

export interface TokenIssuer extends TokenIssue {
  /** How long a new token is valid; at most `longestTokenSeconds`. */
  lifetimeSeconds: number
}

interface IssueDependencies {
  db: Database
  clock: Clock
  tokenIssuer: TokenIssuer
}

/** Spec: POST /Auth/token. Issues an RFC 9068 JWT access token for valid client credentials. */
export async function issueToken(
  { db, clock, tokenIssuer }: IssueDependencies,
  request: TokenRequest,
  origin: TokenCallOrigin,
): Promise<TokenOutcome> {
  const authenticated = await authenticateClient({ db, clock }, request, origin)
  if ('error' in authenticated) return authenticated
  const { credential } = authenticated
  const now = clock.now()
  const granted = grantedScopes(credential.scopes, request.scope)
  if (granted === undefined) {
    return {
      error: 'invalid_request',
      description: `scope must be one or more of these scopes, separated by spaces: ${credential.scopes.join(' ')}`,
    }
  }
  const scope = granted.join(' ')
  await recordLastTokenDay(db, credential, now)
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresAt = Math.min(issuedAt + tokenIssuer.lifetimeSeconds, endOfCredential(credential))
  const { clientId, tokenGeneration } = credential
  const accessToken = await signAccessToken(tokenIssuer, {
    clientId,
    scope,
    tokenGeneration,
    issuedAt,
    expiresAt,
  })
  return { accessToken, expiresInSeconds: expiresAt - issuedAt, scope, client: credential }
}

/** The requested scopes, or all of the credentials' scopes. Undefined if a requested scope is not among them. */
function grantedScopes(own: readonly Scope[], requested: string | undefined): readonly Scope[] | undefined {
  if (requested === undefined) return own
  const wanted = [...new Set(requested.split(' ').filter((name) => name !== ''))]
  return wanted.length > 0 && wanted.every((name) => isScope(name) && own.includes(name))
    ? (wanted as Scope[])
    : undefined
}
