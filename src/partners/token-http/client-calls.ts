import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { keepConnection } from '../../platform/http/connections.ts'
import { statusOf } from '../../platform/http/errors/request-errors.ts'
import { logSecurityEvent, type SecurityEvent } from '../../platform/http/plugins/access-log.ts'
import { rawBody } from '../../platform/http/plugins/body.ts'
import { asDomainError } from '../../platform/http/plugins/error-handler.ts'
import { networkOf } from '../../platform/http/plugins/network-of.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { TokenCallOrigin } from '../authenticate-client.ts'
import { asErrorDescription, type TokenErrorCode } from '../token.schema.ts'
import type { InvalidRequest, RawClientRequest, RequestError } from './client-request.ts'
import type { TokenLimits } from './token-limits.ts'

/** A client that has proved itself, and the body of the response. */
interface Proven<Body extends object> {
  client: { clientId: string; partnerId?: string }
  body: Body
}

/** A call with which a client authenticates. */
interface ClientCall<Request, Body extends object> {
  /** What the security log calls a success. */
  event: SecurityEvent
  parse(call: Omit<RawClientRequest, 'allowsBasic'>): { request: Request; usedBasic: boolean } | InvalidRequest
  /** Returns an error for a client that has not proved itself. */
  run(request: Request, origin: TokenCallOrigin): Promise<Proven<Body> | { error: RequestError; description: string }>
}

interface CallContext {
  request: FastifyRequest
  reply: FastifyReply
  limits: TokenLimits
}

/** Runs a call and sends its response. Errors are exactly `{error, error_description}` (RFC 6749 §5.2). */
export async function respondToClient<Request extends { clientId: string }>(
  context: CallContext,
  call: ClientCall<Request, object>,
): Promise<FastifyReply> {
  const outcome = await runClientCall(context, call)
  if ('error' in outcome) return reject(context.reply, outcome, outcome.usedBasic)
  return sendUncached(context.reply, 200, outcome.body)
}

/** Runs a call within the limits that protect clients' secrets. Throws `rate_limited`. */
export async function runClientCall<Request extends { clientId: string }, Body extends object>(
  { request, reply, limits }: CallContext,
  { event, parse, run }: ClientCall<Request, Body>,
): Promise<Proven<Body> | InvalidRequest> {
  const { authorization, 'content-type': contentType } = request.headers
  const call = parse({ contentType, body: rawBody(request), authorization })
  const address = clientAddressOf(request)
  const clientId = 'request' in call ? call.request.clientId : undefined
  const rejected = (reason: TokenErrorCode) => logSecurityEvent(request, 'token.refused', { clientId, reason })
  const logLimited = (error: unknown) => {
    if (error instanceof DomainError && error.code === 'rate_limited') rejected('slow_down')
    throw error
  }
  const admitted = await limits.admit({ clientId, network: networkOf(address) }, reply).catch(logLimited)
  if ('error' in call) {
    rejected(call.error)
    return call
  }
  const outcome = await run(call.request, { address }).catch(async (error: unknown) => {
    await admitted.undoCount()
    throw error
  })
  if ('error' in outcome) {
    rejected(outcome.error)
    return { ...outcome, usedBasic: call.usedBasic }
  }
  await admitted.succeeded().catch(logLimited)
  keepConnection(request)
  const { clientId: provenId, partnerId } = outcome.client
  logSecurityEvent(request, event, { clientId: provenId, ...(partnerId === undefined ? {} : { partnerId }) })
  return outcome
}

/** The error handler of these calls, which also handles what fails before a call reaches its handler. */
export function rejectUnexpected(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const rejection = asDomainError(error, request)
  const status = statusOf(rejection.code)
  if (status === 500) request.log.error({ err: error }, 'token call failed')
  if (status === 503) request.log.warn({ err: rejection.cause ?? rejection }, 'dependency unavailable')
  if (rejection.retryAfterSeconds !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(rejection.retryAfterSeconds))))
  return sendError(reply, status, errorOf(status), rejection.message)
}

/** RFC 6749 §2.3.1: most libraries do this, hand-written calls often do not. */
const basicRemedy = ' In HTTP Basic, form-encode the client id and the secret before you join them with a colon.'

function reject(
  reply: FastifyReply,
  { error, description }: { error: RequestError; description: string },
  usedBasic: boolean,
): FastifyReply {
  if (error !== 'invalid_client') return sendError(reply, 400, error, description)
  if (!usedBasic) return sendError(reply, 401, error, description)
  reply.header('WWW-Authenticate', 'Basic realm="housebill", charset="UTF-8"')
  return sendError(reply, 401, error, `${description}${basicRemedy}`)
}

function errorOf(status: number): TokenErrorCode {
  if (status === 429) return 'slow_down'
  if (status === 503) return 'temporarily_unavailable'
  return status === 500 ? 'server_error' : 'invalid_request'
}

function sendError(reply: FastifyReply, status: number, error: TokenErrorCode, description: string): FastifyReply {
  return sendUncached(reply, status, { error, error_description: asErrorDescription(description) })
}

/** Sends JSON that must not be stored anywhere on the way. */
function sendUncached(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('Cache-Control', 'no-store').header('Pragma', 'no-cache').send(body)
}
