import type { Server, ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyHttpOptions, RawServerDefault } from 'fastify'
import type { ServerLimits } from './server-limits.ts'

/** A certificate with its chain, and its key, in PEM. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/** How long a caller may take to agree on TLS. */
const handshakeMs = 10_000

type ListenerOptions = Pick<
  FastifyHttpOptions<RawServerDefault, FastifyBaseLogger>,
  'http' | 'serverFactory' | 'requestTimeout' | 'keepAliveTimeout' | 'connectionTimeout'
>

/** What the framework is told about the server it listens with: HTTP, or with a certificate HTTPS from TLS 1.2 on. */
export function listenerOptions(limits: ServerLimits, certificate: Certificate | undefined): ListenerOptions {
  const http: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // A request without Host is refused in our form, not cut off by the parser without a word.
    requireHostHeader: false,
  }
  return {
    // The framework sets these after the server was made; `applyLimits` where it did not make the server.
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionTimeout: limits.stalledMs,
    http,
    ...(certificate === undefined
      ? {}
      : {
          serverFactory: (handler) =>
            createHttpsServer(
              { ...http, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs },
              handler,
            ),
        }),
  }
}

/** What can only be set on the server itself. */
export function applyLimits(server: Server, limits: ServerLimits): void {
  // Node would drop the fields beyond its own count without a word; ours are counted and refused.
  server.maxHeadersCount = 0
  server.requestTimeout = limits.requestMs
  server.keepAliveTimeout = limits.idleMs
  server.setTimeout(limits.stalledMs)
  server.maxConnections = limits.connections
  endConnectionsAfter(server, limits.requestsPerConnection)
}

/** Node's own `maxRequestsPerSocket` would leave the closing to the caller, and answer on with bare 503s. */
function endConnectionsAfter(server: Server, requests: number): void {
  const carried = new WeakMap<Socket, number>()
  server.prependListener('request', ({ socket }, response) => {
    const count = (carried.get(socket) ?? 0) + 1
    carried.set(socket, count)
    if (count >= requests) response.shouldKeepAlive = false
  })
}
