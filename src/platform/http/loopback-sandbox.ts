import type { FastifyRequest } from 'fastify'
import { isOnThisMachine } from '../config/live-connections.ts'
import { plainAddress } from './client-address.ts'

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
