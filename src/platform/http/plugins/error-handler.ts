import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type ErrorCode, sayWhatWasSent } from '../../kernel/errors.ts'
import { type ProblemWording, problemContentType, problemOf } from '../errors/problem.ts'
import { bodyLimitBytes } from '../server-limits.ts'

/** Our error codes for the errors that Fastify throws. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_ASYNC_CONSTRAINT: 'invalid_request',
}

const errorCodesOfRequests = new WeakMap<FastifyRequest, ErrorCode>()

/** The code of the error with which we responded to the request; undefined if there was none. */
export function errorCodeOf(request: FastifyRequest): ErrorCode | undefined {
  return errorCodesOfRequests.get(request)
}

/** Returns every error as a problem document; unexpected errors are logged and become a 500 without details. */
export function installErrorHandler(app: FastifyInstance, wording: ProblemWording): void {
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, wording))
}

export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  wording: ProblemWording,
): FastifyReply {
  const rejection = sayWhatWasSent(asDomainError(error, request), Object.values(request.params ?? {})[0] ?? '')
  errorCodesOfRequests.set(request, rejection.code)
  if (rejection.code === 'internal_error') request.log.error({ err: error }, 'request failed unexpectedly')
  if (rejection.code === 'service_unavailable')
    request.log.warn({ err: rejection.cause ?? rejection }, 'dependency unavailable')
  if (rejection.code === 'customer_details_refused')
    request.log.info({ err: rejection.cause }, 'rejected by a dependency')
  const problem = problemOf(rejection, request.id, wording)
  if (rejection.retryAfterSeconds !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(rejection.retryAfterSeconds))))
  return reply.code(problem.status).header('Content-Type', problemContentType).send(JSON.stringify(problem))
}

/** Converts any error to a DomainError; unexpected errors become `internal_error`. */
export function asDomainError(
  error: unknown,
  { raw, routeOptions }: Pick<FastifyRequest, 'raw' | 'routeOptions'>,
): DomainError {
  if (error instanceof DomainError) return error
  // The client disconnected while sending the body: not a server error, and there is nobody to respond to.
  if (raw.destroyed && !raw.complete)
    return new DomainError('invalid_request', 'The body is incomplete. Send the request again.', {
      cause: error,
    })
  const code = frameworkCodes[(error as FastifyError | undefined)?.code ?? '']
  const limit = routeOptions.bodyLimit ?? bodyLimitBytes
  if (code === 'payload_too_large')
    return new DomainError(code, `Send a body of at most ${limit.toLocaleString('en-GB')} bytes.`)
  if (code === 'unsupported_media_type')
    return new DomainError(code, 'Send the body with "Content-Type: application/json".')
  if (code !== undefined)
    return new DomainError(code, 'The URL or the headers of the request are invalid. Check their encoding.')
  return new DomainError(
    'internal_error',
    'Something went wrong in Housebill. Retry once. If the error persists, report the requestId to the operator.',
  )
}
