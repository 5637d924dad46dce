import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type ProblemWording, problemContentType, problemOf } from '../errors/problem.ts'
import { securityHeaders } from '../security-headers.ts'
import type { ServerLimits } from '../server-limits.ts'
import { supportedMethods } from './method-not-allowed.ts'

interface OngoingRequest {
  request: IncomingMessage
  response: ServerResponse
}

/** Matches the URL of a token request or a revocation. Their errors have their own format. */
const tokenTarget = /^(?:https?:\/\/[^/\s]*)?\/(?:partner-api\/Auth\/(?:token|revoke)|oauth\/token)\/?(?:[?#]|$)/i
/** Matches the request line, even if only part of it has arrived. */
const requestLine = /^([!#$%&'*+.^_`|~\w-]+) (\S*)(?: HTTP\/\d\.\d\r?\n)?/

/**
 * Handles bytes that never became a complete HTTP request, such as invalid HTTP, oversized headers, an incomplete body
 * or CONNECT. Sends a problem document, or a token error for a token request, and closes the connection.
 */
export function rejectUnreadableRequests(
  server: Server,
  { limits, log, ...wording }: ProblemWording & { limits: ServerLimits; log: FastifyBaseLogger },
): void {
  const underWay = new WeakMap<Duplex, OngoingRequest>()
  const rejected = new WeakSet<Duplex>()
  server.prependListener('request', (request, response) => underWay.set(request.socket, { request, response }))

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || rejected.has(socket)) return
    rejected.add(socket)
    const latest = underWay.get(socket)
    const incomplete = latest !== undefined && !latest.request.complete ? latest : undefined
    const target = incomplete?.request.url ?? targetOf(beginningOf(error))
    const reject = () => response(socket, errorOf(error, limits), target, error.code)
    if (latest === undefined || latest.response.writableFinished) return reject()
    // Let the previous response finish first. Otherwise, the client would take the error for the response to its
    // previous request.
    if (incomplete === undefined) return void latest.response.once('close', reject)
    if (latest.response.headersSent) socket.destroy()
    else reject()
  })
  server.on('connect', ({ url }, socket) => response(socket, methodRejected(), url ?? '', 'CONNECT'))

  function response(socket: Duplex, rejection: DomainError, target: string, reason: string | undefined): void {
    if (!socket.writable) return void socket.destroy()
    const requestId = newId('request')
    log.debug({ requestId, code: reason }, 'unreadable request')
    const problem = problemOf(rejection, requestId, wording)
    const isTokenCall = tokenTarget.test(target)
    const body = JSON.stringify(isTokenCall ? { error: 'invalid_request', error_description: problem.detail } : problem)
    const headers = Object.entries({
      ...securityHeaders(wording.publicUrl),
      'X-Request-Id': requestId,
      'Content-Type': isTokenCall ? 'application/json; charset=utf-8' : problemContentType,
      ...(isTokenCall ? { Pragma: 'no-cache' } : {}),
      ...(problem.status === 405 ? { Allow: supportedMethods } : {}),
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}`)
    const statusLine = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
    socket.end(`${[statusLine, ...headers].join('\r\n')}\r\n\r\n${body}`)
  }
}

function errorOf(error: NodeJS.ErrnoException, limits: ServerLimits): DomainError {
  const beginning = beginningOf(error)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new DomainError(
      'request_timeout',
      `The request was incomplete after ${Math.ceil(limits.requestMs / 1000)} s. Send the complete request again.`,
    )
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const most = `${limits.headerBytes.toLocaleString('en-GB')} bytes`
    const lineEnd = beginning.indexOf('\n')
    if (requestLine.test(beginning) && (lineEnd === -1 || lineEnd > limits.headerBytes))
      return new DomainError(
        'uri_too_long',
        `The URL and all headers together can have at most ${most}. Send a shorter URL.`,
      )
    return new DomainError(
      'headers_too_large',
      `The first line and all headers together can have at most ${most}. Send fewer or shorter headers.`,
    )
  }
  const [, method] = requestLine.exec(beginning) ?? []
  if (error.code === 'HPE_INVALID_METHOD' && /^\S+ \S+ HTTP\/\d/.test(beginning) && !METHODS.includes(method ?? ''))
    return methodRejected()
  return new DomainError(
    'invalid_request',
    'The request is not valid HTTP/1.1. Check its first line, its headers and the length of its body.',
  )
}

function methodRejected(): DomainError {
  return new DomainError(
    'method_not_allowed',
    `No path supports this method. The supported methods are: ${supportedMethods}.`,
  )
}

/**
 * The bytes that could not be read, if the parser provides them. They usually begin with the first line of the request.
 */
function beginningOf(error: Error): string {
  const { rawPacket } = error as { rawPacket?: unknown }
  return Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
}

function targetOf(beginning: string): string {
  return requestLine.exec(beginning)?.[2] ?? ''
}
