import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { DomainError } from '../../domain/kernel/errors.ts'
import { newId } from '../../domain/kernel/ids.ts'
import { problemContentType, problemOf } from '../problem.ts'

/**
 * Answers what never became a request (no HTTP, headers beyond 16 KiB, a body that does not arrive) as a problem document like
 * every other refusal, and closes the connection.
 */
export function refuseUnreadable(publicUrl: string, log: FastifyBaseLogger): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNRESET' || socket.destroyed) return
    const requestId = newId('request')
    log.debug({ requestId, code }, 'a request could not be read')
    const refusal = new DomainError(
      'invalid_request',
      'The request could not be read as HTTP/1.1. Check its first line, its headers (16 KiB in all) and that its body arrives in full.',
    )
    const problem = problemOf(refusal, requestId, publicUrl)
    const body = JSON.stringify(problem)
    const headers = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `X-Request-Id: ${requestId}`,
      `Content-Type: ${problemContentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    if (socket.writable) socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
    else socket.destroy()
  }
}
