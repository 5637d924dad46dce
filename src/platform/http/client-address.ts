import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The client's IP address. It is the connection's address or, behind a proxy listed in TRUSTED_PROXIES, the nearest
 * untrusted address in X-Forwarded-For. If that is not a valid address, the proxy's address is used.
 */
export function clientAddressOf(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip
  return plainAddress(address)
}

/** The address in lower case. A dual-stack server sees IPv4 addresses mapped into IPv6: these become plain IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  return (mapped ?? address).toLowerCase()
}
