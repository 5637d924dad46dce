import {
  authenticateClient,
  type ClientAuthentication,
  type ClientAuthenticationDependencies,
  type TokenCallOrigin,
} from '../authenticate-client.ts'
import type { ProvenClient } from '../issue-token.ts'
import type { TokenVerifier } from '../verify-token.ts'
import type { RevokedTokens } from './revoked-tokens.ts'

export type RevocationRequest = ClientAuthentication & { token: string }

/** An RFC 6749 error with a description for the developer. */
export interface RevocationRejection {
  error: 'invalid_request' | 'invalid_client'
  description: string
}

/**
 * `POST /Auth/revoke` (RFC 7009): ends an access token of this client before it expires. A text that is not a valid
 * token needs no revocation, so it succeeds as well. A token of another client is rejected, so that nobody believes it
 * has ended. Returns the client unless the request is rejected.
 */
export async function revokeToken(
  deps: ClientAuthenticationDependencies & { tokenVerifier: TokenVerifier; revokedTokens: RevokedTokens },
  { token, ...claimed }: RevocationRequest,
  origin: TokenCallOrigin,
): Promise<RevocationRejection | { client: ProvenClient }> {
  const authenticated = await authenticateClient(deps, claimed, origin)
  if ('error' in authenticated) return authenticated
  const grant = await deps.tokenVerifier.verify(token)
  const client = authenticated.credential
  if ('rejected' in grant) return { client }
  if (grant.clientId !== client.clientId) {
    return {
      error: 'invalid_request',
      description:
        'This token was issued to other credentials. Revoke it with those, or ask the operator to remove them.',
    }
  }
  await deps.revokedTokens.add(grant.token)
  return { client }
}
