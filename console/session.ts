/** The session of this tab. Never includes the client secret. */
export interface Session {
  accessToken: string
  /** Null if a token was pasted, because its client is unknown. */
  clientId: string | null
  /** Milliseconds since 1970; null if unknown. */
  expiresAt: number | null
}

const place = 'housebill-console-session'

/** Reads the session that this tab had before a reload, unless it has expired. */
export function readStoredSession(): Session | undefined {
  try {
    const text = sessionStorage.getItem(place)
    const session = text === null ? undefined : (JSON.parse(text) as Session)
    return session !== undefined && !hasExpired(session) ? session : undefined
  } catch {
    // Storage is disabled or its content is invalid, so the user has to sign in again.
    return undefined
  }
}

/** Keeps the session until the tab is closed or, if storage is disabled, until a reload. */
export function storeSession(session: Session): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(session))
  } catch (error) {
    console.info('The browser does not allow storage, so the session ends with this page.', error)
  }
}

/** Deletes the token immediately. */
export function forgetSession(): void {
  try {
    sessionStorage.removeItem(place)
  } catch (error) {
    console.info('Nothing was stored.', error)
  }
}

/** Whether the token has expired. */
export function hasExpired({ expiresAt }: Session): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}
