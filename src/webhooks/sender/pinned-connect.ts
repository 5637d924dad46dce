import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { classifyAddress } from '../../platform/outbound/address-class.ts'
import type { NameResolver } from '../../platform/outbound/name-lookup.ts'
import { type EgressRules, resolveTarget } from './webhook-target.ts'

/**
 * Thrown if the receiver's name does not resolve, or resolves only to addresses that we must not call. The message is
 * for the partner.
 */
export class TargetRejected extends Error {
  override readonly name = 'TargetRejected'
}

export interface ConnectOptions {
  resolver: NameResolver
  egress: EgressRules
  /** Certificates in PEM that are trusted in addition to Node's own list and `NODE_EXTRA_CA_CERTS`. */
  extraCa?: readonly string[]
}

const connectTimeoutMs = 10_000
/** How long to wait before also trying the receiver's next address. */
const connectionAttemptTimeoutMs = 2_500

/**
 * How undici connects to receivers. For every connection, the name is resolved and its addresses are checked, and the
 * socket may only use addresses that passed. Node never does a lookup itself, which could return something else a
 * moment later (DNS rebinding). The connected address is checked again before any byte is sent.
 *
 * TLS sessions are not resumed: that would skip the check of the certificate against the name.
 *
 * Certificates are verified against the name, except on loopback addresses, which must be allowed explicitly in a
 * sandbox: a developer's local receiver has no trusted certificate, and there is no network in between.
 */
export function pinnedConnector(options: ConnectOptions): buildConnector.connector {
  const { extraCa } = options
  // Created only once, because reading the trusted certificates takes longer than a handshake.
  const secureContext = createSecureContext(
    extraCa === undefined ? {} : { ca: [...getCACertificates('default'), ...extraCa] },
  )
  return (request, callback) => {
    connect(options, secureContext, request).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

async function connect(
  { resolver, egress }: ConnectOptions,
  secureContext: SecureContext,
  request: buildConnector.Options,
): Promise<TLSSocket> {
  if (request.protocol !== 'https:') throw new TargetRejected('Webhooks are only delivered over HTTPS.')
  const { hostname } = request
  const port = request.port === '' ? 443 : Number(request.port)
  const found = await resolveTarget(resolver, egress, { hostname, port, isAddress: isIP(hostname) !== 0 })
  if (found.kind !== 'usable') throw new TargetRejected(found.detail)

  const open = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: connectionAttemptTimeoutMs,
    lookup: pinnedLookup(found.addresses),
    rejectUnauthorized: !found.isLoopback,
    secureContext,
  })
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    open(request, (...result) => {
      if (result[0] !== null) reject(result[0])
      else resolve(result[1] as TLSSocket)
    })
  })
  const { remoteAddress } = socket
  if (
    remoteAddress === undefined ||
    (egress.classify ?? classifyAddress)(remoteAddress).kind !== (found.isLoopback ? 'loopback' : 'public')
  ) {
    socket.destroy()
    throw new TargetRejected('The connection used an IP address other than the one that was checked.')
  }
  return socket
}

/** A lookup function for Node that returns the checked addresses, whatever the name. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [first] = found
    if (first === undefined) callback(new TargetRejected('There was no IP address to connect to.'), '')
    else if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}
