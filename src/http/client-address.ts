import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of whoever calls, as plain text: the connection's own, or where that belongs to a proxy of TRUSTED_PROXIES, the
 * nearest address of X-Forwarded-For that is no trusted proxy's. Whatever a proxy hands on that is no address leaves the
 * proxy's own.
 */
export function clientAddressOf(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip
  // A server that listens on both families sees IPv4 in this dress.
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  return (mapped ?? address).toLowerCase()
}
