import type { PendingContent } from './pending-sign-ins.store.ts'
import type { ProvidedIdentity } from './sign-in.ts'

/** The identity provider of the operator's people (OpenID Connect, code flow with PKCE). */
export interface OperatorIdentity {
  /**
   * Where the browser goes to sign in, and what its way back is checked against. Whoever signed in longer ago than
   * `maxAgeSeconds` does so again. Throws `service_unavailable`.
   */
  begin(maxAgeSeconds: number): Promise<{ url: string; expected: Omit<PendingContent['provider'], 'next'> }>
  /**
   * Who came back, from the whole address of the way back; undefined if the response is not the one that was expected:
   * another state, nonce, issuer, audience or signature, a code that expired or was used, or an error. `warn` says why.
   * Throws `service_unavailable`.
   */
  finish(
    query: URLSearchParams,
    expected: PendingContent['provider'],
    warn: (reason: string) => void,
  ): Promise<ProvidedIdentity | undefined>
}
