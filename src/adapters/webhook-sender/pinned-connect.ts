import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { classifyAddress } from '../../domain/webhooks/egress/address-class.ts'
import type { NameResolver } from '../../domain/webhooks/egress/name-resolver.ts'
import { type EgressRules, resolveTarget } from '../../domain/webhooks/egress/webhook-target.ts'

/** The receiver's name leads nowhere we may go, or nowhere at all. The message is for the partner. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

export interface ConnectOptions {
  resolver: NameResolver
  egress: EgressRules
  /** Trusted besides Node's own list and `NODE_EXTRA_CA_CERTS`, in PEM. */
  extraCa?: readonly string[]
}

const connectTimeoutMs = 10_000
/** Before the next address of the same receiver is tried. */
const attemptTimeoutMs = 2_500

/**
 * How undici connects to receivers. At every connect the name is resolved and its addresses are judged anew, and the
 * socket may use only the addresses found good: Node's own look-up, which could answer differently a moment later,
 * never happens (no DNS rebinding). What it did connect to is checked once more before a byte is sent.
 *
 * No TLS session is resumed: resuming one would skip the check of the certificate against the name.
 *
 * Certificates are verified against the name. Only on a loopback address, which a sandbox has to allow, are they not: a
 * developer's receiver has no certificate anybody could vouch for, and nobody stands between.
 */
export function pinnedConnector(options: ConnectOptions): buildConnector.connector {
  const { extraCa } = options
  // Made once: reading the trusted certificates takes longer than the handshake.
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
  if (request.protocol !== 'https:') throw new TargetRefused('Webhooks are only delivered over HTTPS.')
  const { hostname } = request
  const port = request.port === '' ? 443 : Number(request.port)
  const found = await resolveTarget(resolver, egress, { hostname, port, isAddress: isIP(hostname) !== 0 })
  if (found.kind !== 'usable') throw new TargetRefused(found.detail)

  const open = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
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
    throw new TargetRefused('The connection used an IP address other than the one that was checked.')
  }
  return socket
}

/** Answers Node's look-up with the checked addresses, whatever name it asks for. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [first] = found
    if (first === undefined) callback(new TargetRefused('There was no IP address to connect to.'), '')
    else if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}
