import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { createAddressFilter } from '../kernel/address-filter.ts'
import { networkOf, siteOf } from './plugins/network-of.ts'
import type { ServerLimits } from './server-limits.ts'

/** Why a connection was dropped: there are too many in all, or too many from its IPv4 address or IPv6 /48. */
export type DropReason = 'all' | 'site'

interface Guard {
  limits: Pick<ServerLimits, 'connections' | 'connectionsPerSite' | 'strangerIdleMs' | 'stalledMs'>
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

/** The share of all connections that strangers cannot take. */
const reservedShare = 1 / 8

/** How long a network is known after a request from it was authenticated, and how many networks are remembered. */
const knownForMs = 24 * 3_600_000
const knownNetworks = 10_000

/** Accepted beyond the limit for a moment, until the connections that make room for them have closed. */
const acceptedBeyond = 64

/**
 * Limits all connections. An eighth is reserved for networks that authenticated within a day. Beyond that, each new
 * connection closes the oldest one of a stranger, preferring those without a request that is being handled; only if
 * there is none, it is closed itself.
 */
function limitAll(app: FastifyInstance, { limits, onDrop }: Guard, isProxy: (address: string) => boolean) {
  const { server } = app
  const forStrangers = limits.connections - Math.floor(limits.connections * reservedShare)
  const known = new Map<string, number>()
  const strangers = new Map<string, Socket>()
  let open = 0
  server.maxConnections = limits.connections + acceptedBeyond

  const isKnown = (address: string) => {
    const since = known.get(networkOf(address))
    return since !== undefined && performance.now() - since < knownForMs
  }
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const close = (name: string, socket: Socket) => {
    strangers.delete(name)
    socket.destroy()
    onDrop('all', socket.remoteAddress ?? '')
  }
  return {
    admit(socket: Socket, isBusy: (name: string) => boolean): void {
      const { remoteAddress = '' } = socket
      const name = nameOf(socket)
      const isStranger = !isProxy(remoteAddress) && !isKnown(remoteAddress)
      open += 1
      socket.once('close', () => {
        open -= 1
        if (strangers.get(name) === socket) strangers.delete(name)
      })
      if (isStranger) strangers.set(name, socket)
      if (open <= (isStranger ? forStrangers : limits.connections)) return
      let [oldest] = strangers
      for (const each of strangers) {
        if (isBusy(each[0])) continue
        oldest = each
        break
      }
      if (oldest === undefined) close(name, socket)
      else close(...oldest)
    },
    /** A request on this connection was authenticated: neither it nor later ones of its network are strangers. */
    prove(socket: Socket): void {
      strangers.delete(nameOf(socket))
      const network = networkOf(socket.remoteAddress ?? '')
      known.delete(network)
      known.set(network, performance.now())
      const [first] = known.keys()
      if (known.size > knownNetworks && first !== undefined) known.delete(first)
    },
    nameOf,
  }
}

/**
 * Limits the connections in all and from one site, and closes those that nobody has authenticated on after a shorter
 * time without a request, so that a stranger cannot use up all connections of the server. The response says how long
 * its connection stays open (`Keep-Alive`).
 */
export function guardConnections(app: FastifyInstance, guard: Guard): void {
  const { limits, trustedProxies, onDrop } = guard
  const isProxy = createAddressFilter(trustedProxies)
  const { server } = app
  const carried = new Map<string, number>()
  const underWay = new WeakMap<Socket, number>()
  const busy = new Set<string>()
  const all = limitAll(app, guard, isProxy)

  // With TLS, this is the connection below it. It is counted during the handshake too.
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    all.admit(socket, (name) => busy.has(name))
    if (isProxy(remoteAddress) || socket.destroyed) return
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
    const name = all.nameOf(socket)
    busy.add(name)
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
    if (isStranger(socket)) socket.setTimeout(limits.stalledMs)
    response.once('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1
      underWay.set(socket, left)
      if (left === 0) busy.delete(name)
      if (proven.has(socket) && !isProxy(socket.remoteAddress)) all.prove(socket)
      if (left === 0 && isStranger(socket)) socket.setTimeout(limits.strangerIdleMs)
    })
  })
  // A little less than the limit, so that the client stops using the connection before we close it.
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (reply.raw.shouldKeepAlive && isStranger(raw.socket))
      reply.header('Keep-Alive', `timeout=${Math.floor((limits.strangerIdleMs * 0.8) / 1_000)}`)
    done()
  })
}
