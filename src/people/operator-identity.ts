import type { PendingContent } from './person-sessions.store.ts'
import type { ProvidedIdentity } from './sign-in.ts'

/** The identity provider of the operator's people (OpenID Connect, code flow with PKCE). */
export interface OperatorIdentity {
  /**
   * Where the browser goes to sign in, and what its way back is checked against. Whoever signed in longer ago than
   * `maxAgeSeconds` does so again. Throws `service_unavailable`.
   */
  begin(maxAgeSeconds: number): Promise<{ url: string; expected: Omit<PendingContent['provider'], 'next'> }>
  /**
   * Who came back, from the query of the way back; or why the response is not the one that was expected: another state,
   * nonce, issuer, audience or signature, a code that expired or was used, or an error. Throws `service_unavailable`.
   */
  finish(query: URLSearchParams, expected: PendingContent['provider']): Promise<ProvidedIdentity | { rejected: string }>
}
