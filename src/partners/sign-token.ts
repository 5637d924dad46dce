import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { SigningKeys } from './signing-keys.ts'
import { generationClaim } from './token-rules.ts'

/** Who issues a token, and for whom. */
export interface TokenIssue {
  signingKeys: SigningKeys
  issuer: string
  audience: string
}

/** What a token says about its client. Times are in whole seconds since 1970. */
export interface TokenClaims {
  clientId: string
  scope: string
  /** Left out for 0, and for clients whose tokens cannot be ended together. */
  tokenGeneration?: number
  issuedAt: number
  expiresAt: number
}

/** Signs an access token (RFC 9068). */
export async function signAccessToken(
  { signingKeys, issuer, audience }: TokenIssue,
  { clientId, scope, tokenGeneration = 0, issuedAt, expiresAt }: TokenClaims,
): Promise<string> {
  const { keyId, privateKey } = signingKeys
  return new SignJWT({
    client_id: clientId,
    scope,
    ...(tokenGeneration === 0 ? {} : { [generationClaim]: tokenGeneration }),
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keyId })
    .setIssuer(issuer)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .setJti(randomUUID())
    .sign(privateKey)
}
