import type { Deployment } from '../deployment.ts'
import type { Session } from '../session.ts'

/** A session, or the reason why sign-in failed. */
export type SignInResult = { session: Session; refusal: null } | { session: null; refusal: string }

interface TokenResponse {
  access_token?: string
  expires_in?: number
  error?: string
  error_description?: string
}

/** Exchanges credentials for an access token (OAuth 2.0 client credentials). The secret is sent but not stored. */
export async function getToken(
  { audience }: Pick<Deployment, 'audience'>,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<SignInResult> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, audience }
  try {
    const response = await fetch('/oauth/token', { method: 'POST', body: new URLSearchParams(form), cache: 'no-store' })
    const answer = (await response.json()) as TokenResponse
    if (response.ok && answer.access_token !== undefined) {
      const expiresAt = answer.expires_in === undefined ? null : Date.now() + answer.expires_in * 1_000
      return { session: { accessToken: answer.access_token, clientId, expiresAt }, refusal: null }
    }
    return { session: null, refusal: wordsFor(answer, response) }
  } catch {
    return { session: null, refusal: 'No response. Check your connection and try again.' }
  }
}

function wordsFor({ error, error_description: description }: TokenResponse, { status, headers }: Response): string {
  if (error === 'invalid_client')
    return 'The client id or the client secret is wrong, or the credentials have expired. Check both, and remove any spaces around them.'
  const wait = headers.get('Retry-After')
  if (error === 'slow_down') return `Too many attempts. Wait ${wait ?? 'a few'} s and try again.`
  return `No token was issued: ${description ?? `status ${status}`}. Try again. If the problem persists, tell the operator.`
}
