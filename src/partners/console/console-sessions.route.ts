import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonBody } from '../../platform/http/plugins/body.ts'
import type { SessionStarter } from '../issue-token.route.ts'
import type { RevokedTokens } from '../revocation/revoked-tokens.ts'
import { rejectUnexpected, sendError, sendUncached } from '../token-http/client-calls.ts'
import type { TokenVerifier } from '../verify-token.ts'
import { type ConsoleSession, type ConsoleSessions, consoleScope, consoleSessionSeconds } from './console-sessions.ts'

const path = '/console/session'
const needsScope = `The console needs the scope ${consoleScope}. Ask the operator for credentials with this scope.`

interface ConsoleDependencies {
  gate: ConsoleGate
  tokenVerifier: TokenVerifier
  /** Signing out ends the session and revokes its token. */
  revokedTokens: RevokedTokens
  /** Checks credentials as a token call does; undefined if an external provider issues tokens. */
  startSession: SessionStarter | undefined
}

/**
 * The console's session: signing in, asking who is signed in, signing out. The browser gets a cookie that its scripts
 * cannot read, and never the access token. Requests from anywhere but the console's page are rejected or find no
 * session.
 */
export function registerConsoleSession(
  app: FastifyInstance,
  { gate, tokenVerifier, revokedTokens, startSession }: ConsoleDependencies,
): void {
  const errorHandler = rejectUnexpected

  app.post(path, { errorHandler }, async (request, reply) => {
    if (!gate.isFromConsole(request))
      return sendError(reply, 400, 'invalid_request', 'Only the page /console can begin a session. Sign in there.')
    if (startSession === undefined) return signInWithToken(request, reply)
    return startSession(request, reply, {
      scope: consoleScope,
      lifetimeSeconds: consoleSessionSeconds,
      needsScope,
      start: (token) => start(request, reply, token),
    })
  })

  app.get(path, { errorHandler }, async (request, reply) => {
    const session = await gate.sessionOf(request)
    const grant = session === undefined ? undefined : await tokenVerifier.verify(session.accessToken)
    if (session === undefined || grant === undefined || 'rejected' in grant)
      return sendUncached(reply, 200, { clientId: null })
    const { clientId, expiresAt } = session
    return sendUncached(reply, 200, { clientId, expiresAt: expiresAt.toISOString() })
  })

  app.delete(path, { errorHandler }, async (request, reply) => {
    if (!gate.isFromConsole(request))
      return sendError(reply, 400, 'invalid_request', 'Only the page /console can end a session. Sign out there.')
    const session = await gate.sessionOf(request)
    const grant = session === undefined ? undefined : await tokenVerifier.verify(session.accessToken)
    if (grant !== undefined && !('rejected' in grant)) await revokedTokens.add(grant.token)
    await gate.end(request, reply)
    return sendUncached(reply, 200, { clientId: null })
  })

  async function signInWithToken(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = jsonBody(request) as { accessToken?: unknown } | null
    const accessToken = typeof body?.accessToken === 'string' ? body.accessToken : ''
    const grant = await tokenVerifier.verify(accessToken)
    if ('rejected' in grant)
      return sendError(reply, 401, 'invalid_client', `The token was rejected: ${grant.rejected}.`)
    if (!grant.scopes.includes(consoleScope)) return sendError(reply, 400, 'invalid_request', needsScope)
    const token = { clientId: grant.clientId, accessToken, lifetimeSeconds: consoleSessionSeconds }
    return sendUncached(reply, 200, await start(request, reply, token))
  }

  async function start(
    request: FastifyRequest,
    reply: FastifyReply,
    token: Parameters<ConsoleGate['start']>[2],
  ): Promise<object> {
    return { clientId: token.clientId, expiresInSeconds: await gate.start(request, reply, token) }
  }
}

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
