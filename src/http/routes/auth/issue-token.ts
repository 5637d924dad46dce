import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exchangeCredentials } from '../../../domain/auth/exchange-credentials.ts'
import {
  issueToken,
  type TokenCallOrigin,
  type TokenOutcome,
  type TokenRequest,
} from '../../../domain/auth/issue-token.ts'
import type { Scope } from '../../../domain/auth/scopes.ts'
import { clientAddressOf } from '../../client-address.ts'
import { errorResponses } from '../../error-responses.ts'
import { rawBody } from '../../plugins/body.ts'
import { asDomainError } from '../../plugins/error-handler.ts'
import { networkOf } from '../../plugins/network-of.ts'
import type { DeploymentServices } from '../../services.ts'
import { asErrorDescription, type TokenErrorCode } from '../../wire/token.ts'
import type { TokenLimits } from './token-limits.ts'
import { parseTokenRequest, type RequestError } from './token-request.ts'

/** What a console session asks of a token call. */
export interface SessionWish {
  scope: Scope
  lifetimeSeconds: number
  /** The error for credentials that lack the scope. */
  needsScope: string
  start(token: { clientId: string; accessToken: string; lifetimeSeconds: number }): Promise<FastifyReply>
}

/** Checks credentials under the rules and limits of token calls, and then begins a session instead of returning the token. */
export type SessionStarter = (
  request: FastifyRequest,
  reply: FastifyReply,
  session: SessionWish,
) => Promise<FastifyReply>

/**
 * The token operations: the spec's POST /Auth/token and, for the embedded identity provider, POST /oauth/token. Errors are exactly
 * `{error, error_description}`, whatever the status, even before the request reaches its handler. Returns the same check of credentials
 * for the console.
 */
export function registerTokenRoutes(
  app: FastifyInstance,
  services: DeploymentServices,
  limits: TokenLimits,
): SessionStarter {
  const errorHandler = rejectUnexpected
  const { tokenSource } = services
  const { audience } = 'embedded' in tokenSource ? tokenSource.embedded : tokenSource
  app.post('/partner-api/Auth/token', { errorHandler, config: { operationId: 'issueToken' } }, (request, reply) =>
    respond(request, reply, false),
  )
  if ('embedded' in tokenSource)
    app.post('/oauth/token', { errorHandler, config: { operationId: 'issueTokenAsProvider' } }, (request, reply) =>
      respond(request, reply, true),
    )

  return (request, reply, session) => respond(request, reply, false, session)

  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    allowsBasic: boolean,
    session?: SessionWish,
  ): Promise<FastifyReply> {
    const { authorization, 'content-type': contentType } = request.headers
    const call = parseTokenRequest({ contentType, body: rawBody(request), authorization, allowsBasic, audience })
    const network = networkOf(clientAddressOf(request))
    const clientId = 'request' in call ? call.request.clientId : undefined
    const admitted = await limits.admit({ clientId, network }, reply)
    if ('error' in call) return reject(reply, call.error, call.description, call.usedBasic)
    const outcome = await getToken(services, call.request, { network }, session).catch(async (error: unknown) => {
      await admitted.undoCount()
      throw error
    })
    if ('error' in outcome) {
      const lacksScope = session !== undefined && outcome.error === 'invalid_request'
      return reject(reply, outcome.error, lacksScope ? session.needsScope : outcome.description, call.usedBasic)
    }
    await admitted.succeeded()
    const { accessToken, expiresInSeconds: lifetimeSeconds } = outcome
    if (session !== undefined) return session.start({ clientId: call.request.clientId, accessToken, lifetimeSeconds })
    return sendUncached(reply, 200, {
      access_token: outcome.accessToken,
      token_type: 'Bearer',
      expires_in: outcome.expiresInSeconds,
      scope: outcome.scope,
    })
  }
}

async function getToken(
  { databases, ...services }: DeploymentServices,
  request: TokenRequest,
  origin: TokenCallOrigin,
  session: SessionWish | undefined,
): Promise<TokenOutcome> {
  const { tokenSource } = services
  const db = databases.system
  if ('embedded' in tokenSource) {
    const { embedded } = tokenSource
    if (session === undefined) return issueToken({ ...services, db, tokenIssuer: embedded }, request, origin)
    const tokenIssuer = { ...embedded, lifetimeSeconds: Math.min(embedded.lifetimeSeconds, session.lifetimeSeconds) }
    return issueToken({ ...services, db, tokenIssuer }, { ...request, scope: session.scope }, origin)
  }
  const { external: identityProvider, audience } = tokenSource
  return exchangeCredentials({ ...services, db, identityProvider, audience }, request)
}

function reject(reply: FastifyReply, error: RequestError, description: string, usedBasic: boolean): FastifyReply {
  if (error === 'invalid_client' && usedBasic)
    reply.header('WWW-Authenticate', 'Basic realm="housebill", charset="UTF-8"')
  return sendError(reply, error === 'invalid_client' ? 401 : 400, error, description)
}

export function rejectUnexpected(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asDomainError(error, request)
  const { status } = errorResponses[refusal.code]
  if (status === 500) request.log.error({ err: error }, 'issuing a token failed')
  if (status === 503) request.log.warn({ err: refusal.cause ?? refusal }, 'dependency unavailable')
  if (refusal.retryAfterSeconds !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))))
  return sendError(reply, status, errorOf(status), refusal.message)
}

function errorOf(status: number): TokenErrorCode {
  if (status === 429) return 'slow_down'
  if (status === 503) return 'temporarily_unavailable'
  return status === 500 ? 'server_error' : 'invalid_request'
}

export function sendError(
  reply: FastifyReply,
  status: number,
  error: TokenErrorCode,
  description: string,
): FastifyReply {
  return sendUncached(reply, status, { error, error_description: asErrorDescription(description) })
}

/** Sends JSON that must not be stored anywhere on the way. */
export function sendUncached(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('Cache-Control', 'no-store').header('Pragma', 'no-cache').send(body)
}
