import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleSession, ConsoleSessions } from '../console/console-sessions.ts'

/** Finds out whether a request comes from the web console, and in which session. */
export interface ConsoleGate {
  /** Whether this server's own console page sent the request. Another site's page cannot send such a request (CSRF). */
  isFromConsole(request: FastifyRequest): boolean
  /**
   * The session that the cookie names; undefined if the request is not from the console, or there is no such session.
   */
  sessionOf(request: FastifyRequest): Promise<ConsoleSession | undefined>
  /** The access token of an API call: of the session, if the page that calls belongs to the session's client. */
  tokenOf(request: FastifyRequest): Promise<string | undefined>
  /** Begins a session, in place of any that the browser had, and sets its cookie. Returns how many seconds it lasts. */
  start(request: FastifyRequest, reply: FastifyReply, token: Parameters<ConsoleSessions['start']>[0]): Promise<number>
  /** Ends the session in every process, and deletes the cookie. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * The header with which the console marks its requests: the client id that the page is signed in as, percent-encoded.
 * Browsers let no page of another site send it. It also keeps a tab from acting for another client that has signed in
 * elsewhere in the browser since.
 */
const headerName = 'x-housebill-console'

export function createConsoleGate(sessions: ConsoleSessions, publicUrl: string): ConsoleGate {
  const isSecure = publicUrl.startsWith('https://')
  // A browser accepts a cookie named __Host- only from this very host and only over HTTPS.
  const cookieName = isSecure ? '__Host-housebill-console' : 'housebill-console'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

  function isFromConsole({ headers, method }: FastifyRequest): boolean {
    if (headers[headerName] === undefined) return false
    const site = headers['sec-fetch-site']
    if (site !== undefined) return site === 'same-origin'
    const { origin } = headers
    // Older browsers, and pages over plain HTTP, send no Sec-Fetch-Site. They send Origin with every request that
    // changes something.
    if (origin === undefined) return method === 'GET' || method === 'HEAD'
    return origin === new URL(publicUrl).origin || URL.parse(origin)?.host === headers.host
  }

  function idOf(request: FastifyRequest): string | undefined {
    const cookies = (request.headers.cookie ?? '').split(';').map((each) => each.trim())
    const [found, ...more] = cookies.filter((each) => each.startsWith(`${cookieName}=`))
    return more.length > 0 ? undefined : found?.slice(cookieName.length + 1)
  }

  async function sessionOf(request: FastifyRequest): Promise<ConsoleSession | undefined> {
    const id = isFromConsole(request) ? idOf(request) : undefined
    return id === undefined ? undefined : sessions.find(id)
  }

  return {
    isFromConsole,
    sessionOf,
    async tokenOf(request) {
      const session = await sessionOf(request)
      if (session === undefined || request.headers[headerName] !== encodeURIComponent(session.clientId))
        return undefined
      return session.accessToken
    },
    async start(request, reply, token) {
      const earlier = idOf(request)
      if (earlier !== undefined) await sessions.end(earlier)
      const { id, lifetimeSeconds } = await sessions.start(token)
      reply.header('Set-Cookie', `${cookieName}=${id}; Max-Age=${lifetimeSeconds}; ${attributes}`)
      return lifetimeSeconds
    },
    async end(request, reply) {
      const id = idOf(request)
      if (id !== undefined) await sessions.end(id)
      reply.header('Set-Cookie', `${cookieName}=; Max-Age=0; ${attributes}`)
    },
  }
}
