import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isOnThisMachine } from '../config/live-connections.ts'

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

/**
 * Whether a request has reached a sandbox on its reader's own machine, under its own name, so that neither another
 * site's page nor a proxy leads here.
 */
export function isAtLoopbackSandbox(
  { socket, headers }: Pick<FastifyRequest, 'socket' | 'headers'>,
  at: { realm: 'sandbox' | 'live'; publicUrl: string; trustedProxies: readonly string[] },
): boolean {
  const { hostname, host } = new URL(at.publicUrl)
  const isHere = isOnThisMachine(hostname) && isOnThisMachine(plainAddress(socket.localAddress ?? ''))
  return at.realm === 'sandbox' && at.trustedProxies.length === 0 && isHere && headers.host === host
}
