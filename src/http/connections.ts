import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { createAddressFilter } from '../kernel/address-filter.ts'
import { siteOf } from './plugins/network-of.ts'
import type { ServerLimits } from './server-limits.ts'

/** Why a connection was dropped: there are too many in all, or too many from its IPv4 address or IPv6 /48. */
export type DropReason = 'all' | 'site'

interface Guard {
  limits: Pick<ServerLimits, 'connectionsPerSite' | 'strangerIdleMs' | 'stalledMs'>
  /** Connections of these peers are not limited: proxies carry the requests of many clients. */
  trustedProxies: readonly string[]
  onDrop: (reason: DropReason, address: string) => void
}

/** The connections on which a request was authenticated. */
const proven = new WeakSet<Socket>()

/** Call this once a request was authenticated: its connection may then be idle for as long as the usual limit. */
export function keepConnection(request: { socket: Socket }): void {
  proven.add(request.socket)
}

/**
 * Limits the connections from one site, and closes those that nobody has authenticated on after a shorter time without a request, so that a
 * stranger cannot use up all connections of the server. The response says how long its connection stays open (`Keep-Alive`).
 */
export function guardConnections(app: FastifyInstance, { limits, trustedProxies, onDrop }: Guard): void {
  const isProxy = createAddressFilter(trustedProxies)
  const { server } = app
  const carried = new Map<string, number>()
  const underWay = new WeakMap<Socket, number>()

  // With TLS, this is the connection below it. It is counted during the handshake too.
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    if (isProxy(remoteAddress)) return
    const site = siteOf(remoteAddress)
    const count = (carried.get(site) ?? 0) + 1
    carried.set(site, count)
    socket.once('close', () => {
      const left = (carried.get(site) ?? 1) - 1
      if (left === 0) carried.delete(site)
      else carried.set(site, left)
    })
    if (count <= limits.connectionsPerSite) return
    socket.destroy()
    onDrop('site', remoteAddress)
  })
  server.on('drop', (dropped) => onDrop('all', dropped?.remoteAddress ?? ''))

  const isStranger = (socket: Socket) => !proven.has(socket) && !isProxy(socket.remoteAddress)
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (isStranger(socket)) socket.setTimeout(limits.strangerIdleMs)
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
    if (isStranger(socket)) socket.setTimeout(limits.stalledMs)
    response.once('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1
      underWay.set(socket, left)
      if (left === 0 && isStranger(socket)) socket.setTimeout(limits.strangerIdleMs)
    })
  })
  // A little less than the limit, so that the client stops using the connection before we close it.
  app.addHook('onSend', async ({ raw }, reply) => {
    if (reply.raw.shouldKeepAlive && isStranger(raw.socket))
      reply.header('Keep-Alive', `timeout=${Math.floor((limits.strangerIdleMs * 0.8) / 1_000)}`)
  })
}
