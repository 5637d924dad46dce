/** Who is signed in in this tab. The client secret is never part of it. */
export interface Session {
  accessToken: string
  /** Null where a token was pasted: nobody said whose it is. */
  clientId: string | null
  /** Milliseconds since 1970; null where nobody said. */
  expiresAt: number | null
}

const place = 'housebill-console-session'

/** The session this tab had before it was loaded anew, if it has not ended. */
export function storedSession(): Session | undefined {
  try {
    const text = sessionStorage.getItem(place)
    const session = text === null ? undefined : (JSON.parse(text) as Session)
    return session !== undefined && !hasExpired(session) ? session : undefined
  } catch {
    // Storage is switched off, or what is there is not ours: one signs in again.
    return undefined
  }
}

/** Keeps the session until the tab is closed; without storage until it is loaded anew. */
export function storeSession(session: Session): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(session))
  } catch (error) {
    console.info('The browser does not allow storage, so the session ends with this page.', error)
  }
}

/** Forgets the token at once. */
export function forgetSession(): void {
  try {
    sessionStorage.removeItem(place)
  } catch (error) {
    console.info('Nothing was stored.', error)
  }
}

/** Whether its own time is over. */
export function hasExpired({ expiresAt }: Session): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}
