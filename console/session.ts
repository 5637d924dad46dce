import { consoleHeader } from './api/console-header.ts'

/** Who is signed in. The server keeps the access token; this page never has it. */
export interface Session {
  clientId: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** A session, or the reason why sign-in failed. */
export type SignInResult = { session: Session; rejection: null } | { session: null; rejection: string }

interface SessionResponse {
  clientId?: string | null
  expiresAt?: string
  expiresInSeconds?: number
  error?: string
  error_description?: string
}

const address = '/console/session'

/** The session that this browser already has; undefined if there is none, or if the server does not respond. */
export async function findSession(): Promise<Session | undefined> {
  try {
    const { clientId, expiresAt } = await send('GET').then((response) => response.json() as Promise<SessionResponse>)
    return typeof clientId === 'string' ? { clientId, expiresAt: Date.parse(expiresAt ?? '') } : undefined
  } catch {
    // The sign-in form is shown, and signing in reports the problem.
    return undefined
  }
}

/** Begins a session. What is sent is not kept by this page, and the server returns no token. */
export async function beginSession(
  given: { clientId: string; clientSecret: string } | { accessToken: string },
): Promise<SignInResult> {
  try {
    const response = await send('POST', given)
    const answer = (await response.json()) as SessionResponse
    if (response.ok && typeof answer.clientId === 'string') {
      const expiresAt = Date.now() + (answer.expiresInSeconds ?? 0) * 1_000
      return { session: { clientId: answer.clientId, expiresAt }, rejection: null }
    }
    return { session: null, rejection: wordsFor(answer, response, 'accessToken' in given) }
  } catch {
    return { session: null, rejection: 'No response. Check your connection and try again.' }
  }
}

/** Ends the session on the server. Returns whether the server confirmed it. */
export async function endSession(): Promise<boolean> {
  try {
    return (await send('DELETE')).ok
  } catch {
    return false
  }
}

/** Whether the session has expired. */
export function hasExpired({ expiresAt }: Session): boolean {
  return expiresAt <= Date.now()
}

function send(method: string, body?: object): Promise<Response> {
  return fetch(address, {
    method,
    headers: { [consoleHeader]: '?', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    cache: 'no-store',
  })
}

function wordsFor({ error, error_description: said }: SessionResponse, response: Response, isToken: boolean): string {
  if (error === 'invalid_client')
    return isToken
      ? `${said ?? 'The access token was rejected.'} Get a new one and paste it.`
      : 'The client id or the client secret is wrong, or the credentials have expired. Check both, and remove any spaces around them.'
  const wait = response.headers.get('Retry-After')
  if (error === 'slow_down') return `Too many attempts. Wait ${wait ?? 'a few'} s and try again.`
  return `You are not signed in: ${said ?? `status ${response.status}`} If the problem persists, tell the operator.`
}
