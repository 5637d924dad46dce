import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exchangeCredentials } from '../../../domain/auth/exchange-credentials.ts'
import {
  issueToken,
  type TokenCallOrigin,
  type TokenOutcome,
  type TokenRequest,
} from '../../../domain/auth/issue-token.ts'
import { clientAddressOf } from '../../client-address.ts'
import { errorResponses } from '../../error-responses.ts'
import { rawBody } from '../../plugins/body.ts'
import { asDomainError } from '../../plugins/error-handler.ts'
import { networkOf } from '../../plugins/network-of.ts'
import type { DeploymentServices } from '../../services.ts'
import { asErrorDescription, type TokenErrorCode } from '../../wire/token.ts'
import type { TokenLimits } from './token-limits.ts'
import { parseTokenRequest, type RequestError } from './token-request.ts'

/**
 * The token operations: the spec's POST /Auth/token and, for the embedded identity provider, POST /oauth/token. Errors are exactly
 * `{error, error_description}`, whatever the status, even before the request reaches its handler.
 */
export function registerTokenRoutes(app: FastifyInstance, services: DeploymentServices, limits: TokenLimits): void {
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

  async function respond(request: FastifyRequest, reply: FastifyReply, allowsBasic: boolean): Promise<FastifyReply> {
    const { authorization, 'content-type': contentType } = request.headers
    const call = parseTokenRequest({ contentType, body: rawBody(request), authorization, allowsBasic, audience })
    const network = networkOf(clientAddressOf(request))
    const clientId = 'request' in call ? call.request.clientId : undefined
    const admitted = await limits.admit({ clientId, network }, reply)
    if ('error' in call) return reject(reply, call.error, call.description, call.usedBasic)
    const outcome = await getToken(services, call.request, { network }).catch(async (error: unknown) => {
      await admitted.undoCount()
      throw error
    })
    if ('error' in outcome) return reject(reply, outcome.error, outcome.description, call.usedBasic)
    await admitted.succeeded()
    return send(reply, 200, {
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
): Promise<TokenOutcome> {
  const { tokenSource } = services
  const db = databases.system
  if ('embedded' in tokenSource)
    return issueToken({ ...services, db, tokenIssuer: tokenSource.embedded }, request, origin)
  const { external: identityProvider, audience } = tokenSource
  return exchangeCredentials({ ...services, db, identityProvider, audience }, request)
}

function reject(reply: FastifyReply, error: RequestError, description: string, usedBasic: boolean): FastifyReply {
  if (error === 'invalid_client' && usedBasic)
    reply.header('WWW-Authenticate', 'Basic realm="housebill", charset="UTF-8"')
  return sendError(reply, error === 'invalid_client' ? 401 : 400, error, description)
}

function rejectUnexpected(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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

function sendError(reply: FastifyReply, status: number, error: TokenErrorCode, description: string): FastifyReply {
  return send(reply, status, { error, error_description: asErrorDescription(description) })
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('Cache-Control', 'no-store').header('Pragma', 'no-cache').send(body)
}
