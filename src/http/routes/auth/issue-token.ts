import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { issueToken } from '../../../domain/auth/issue-token.ts'
import { DomainError } from '../../../domain/kernel/errors.ts'
import { errorResponses } from '../../error-responses.ts'
import { rawBody } from '../../plugins/body.ts'
import type { RateLimit } from '../../plugins/rate-limit.ts'
import type { Services } from '../../services.ts'
import { type ReadTokenCall, readTokenCall } from './token-request.ts'

/** RFC 6749 §5.2, with the two more that a working service needs. */
type TokenError = 'invalid_request' | 'invalid_client' | 'temporarily_unavailable' | 'slow_down' | 'server_error'

/**
 * The token calls: spec's POST /Auth/token and the identity provider's POST /oauth/token. Errors are exactly
 * `{error, error_description}`, whatever the status.
 */
export function registerTokenRoutes(app: FastifyInstance, services: Services, tokenLimit: RateLimit): void {
  app.post('/partner-api/Auth/token', (request, reply) => answer(request, reply, false))
  app.post('/oauth/token', (request, reply) => answer(request, reply, true))

  async function answer(request: FastifyRequest, reply: FastifyReply, allowsBasic: boolean): Promise<FastifyReply> {
    reply.header('Cache-Control', 'no-store')
    reply.header('Pragma', 'no-cache')
    const { authorization, 'content-type': contentType } = request.headers
    const call = readTokenCall({ contentType, body: rawBody(request), authorization, allowsBasic })
    try {
      await tokenLimit.consume('request' in call ? call.request.clientId : request.ip, reply)
      return await grant(reply, call)
    } catch (error) {
      return refuseUnexpected(error, request, reply)
    }
  }

  async function grant(reply: FastifyReply, call: ReadTokenCall): Promise<FastifyReply> {
    if ('error' in call) return refuse(reply, call.error, call.description, call.usedBasic)
    const outcome = await issueToken(services, call.request)
    if ('error' in outcome) return refuse(reply, outcome.error, outcome.description, call.usedBasic)
    return reply.send({
      access_token: outcome.accessToken,
      token_type: 'Bearer',
      expires_in: outcome.expiresInSeconds,
      scope: outcome.scope,
    })
  }
}

function refuse(
  reply: FastifyReply,
  error: 'invalid_request' | 'invalid_client',
  description: string,
  usedBasic: boolean,
): FastifyReply {
  if (error === 'invalid_client' && usedBasic)
    reply.header('WWW-Authenticate', 'Basic realm="housebill", charset="UTF-8"')
  return send(reply, error === 'invalid_client' ? 401 : 400, error, description)
}

function refuseUnexpected(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof DomainError) {
    const { status } = errorResponses[error.code]
    if (error.retryAfterSeconds !== undefined) reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)))
    return send(reply, status, status === 429 ? 'slow_down' : 'temporarily_unavailable', error.message)
  }
  request.log.error({ err: error }, 'a token could not be issued')
  return send(reply, 500, 'server_error', 'Something failed on our side. Retry once, then report it to the operator.')
}

/** Descriptions stay within the characters RFC 6749 allows. */
function send(reply: FastifyReply, status: number, error: TokenError, description: string): FastifyReply {
  return reply
    .code(status)
    .send({ error, error_description: description.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'") })
}
