import type { Server, ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { FastifyBaseLogger, FastifyHttpOptions, RawServerDefault } from 'fastify'
import type { ServerLimits } from './server-limits.ts'

/** A certificate with its chain, and its key, in PEM. */
export interface Certificate {
  cert: Buffer
  key: Buffer
}

/**
 * Only cipher suites with forward secrecy and authenticated encryption (RFC 9325 §4.2): no RSA key exchange, and no
 * CBC. The first three are those of TLS 1.3.
 */
const cipherSuites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((encryption) => [
    `ECDHE-ECDSA-${encryption}`,
    `ECDHE-RSA-${encryption}`,
  ]),
].join(':')

/**
 * The certificate with the rules of every connection. A renewed certificate needs them again: without them, it would
 * get Node's defaults.
 */
export function tlsOptions(certificate: Certificate): SecureContextOptions {
  return { ...certificate, minVersion: 'TLSv1.2', ciphers: cipherSuites }
}

/** The time limit of a TLS handshake. */
const handshakeMs = 10_000

type ListenerOptions = Pick<
  FastifyHttpOptions<RawServerDefault, FastifyBaseLogger>,
  'http' | 'serverFactory' | 'requestTimeout' | 'keepAliveTimeout' | 'connectionTimeout'
>

/** The framework's options for its server: HTTP or, with a certificate, HTTPS with TLS 1.2 or later. */
export function listenerOptions(limits: ServerLimits, certificate: Certificate | undefined): ListenerOptions {
  const http: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // A request without a Host header gets a problem document from us; the parser would just close the connection.
    requireHostHeader: false,
  }
  return {
    // The framework applies these if it creates the server itself; otherwise `applyLimits` does.
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionTimeout: limits.stalledMs,
    http,
    ...(certificate === undefined
      ? {}
      : {
          serverFactory: (handler) =>
            createHttpsServer({ ...http, ...tlsOptions(certificate), handshakeTimeout: handshakeMs }, handler),
        }),
  }
}

/** Sets the limits that can only be set on an existing server. */
export function applyLimits(server: Server, limits: ServerLimits): void {
  // Node silently drops header fields beyond its limit; we count and reject them instead.
  server.maxHeadersCount = 0
  server.requestTimeout = limits.requestMs
  server.keepAliveTimeout = limits.idleMs
  server.setTimeout(limits.stalledMs)
  // Otherwise, several processes that have reached the limit would pass a new connection on to each other without end.
  Object.assign(server, { dropMaxConnection: true })
  endConnectionsAfter(server, limits.requestsPerConnection)
}

/** Replaces Node's `maxRequestsPerSocket`, which returns 503s without a body instead of closing the connection. */
function endConnectionsAfter(server: Server, requests: number): void {
  const carried = new WeakMap<Socket, number>()
  server.prependListener('request', ({ socket }, response) => {
    const count = (carried.get(socket) ?? 0) + 1
    carried.set(socket, count)
    if (count >= requests) response.shouldKeepAlive = false
  })
}
