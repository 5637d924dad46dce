import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonBody } from '../../platform/http/plugins/body.ts'
import type { ConsoleGate } from '../http/console-gate.ts'
import type { SessionStarter } from '../issue-token.route.ts'
import type { RevokedTokens } from '../revocation/revoked-tokens.ts'
import { rejectUnexpected, sendError, sendUncached } from '../token-http/client-calls.ts'
import type { TokenVerifier } from '../verify-token.ts'
import { consoleScope, consoleSessionSeconds } from './console-sessions.ts'

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
