import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { assertNoOpenTransaction } from '../db/open-transaction.ts'
import { NameResolutionFailed, type NameResolver } from './name-lookup.ts'

/** Errors that mean the name does not exist, or has no record of this type. */
const noSuchName = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

interface SystemResolverOptions {
  /** The time limit for resolving one name. */
  timeoutMs?: number
  /** Name servers as `address:port`; defaults to those of the machine. */
  servers?: readonly string[]
}

/**
 * Queries the machine's name servers directly. Does not use `getaddrinfo`, which would occupy one of Node's few threads
 * for as long as a partner's name server does not respond, and would apply the machine's search domains and hosts file.
 * `localhost` resolves as in RFC 6761.
 */
export function createSystemResolver({ timeoutMs = 4_000, servers }: SystemResolverOptions = {}): NameResolver {
  return {
    async resolve(hostname) {
      if (isIP(hostname) !== 0) return [hostname]
      if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1', '::1']
      assertNoOpenTransaction('a name server')
      const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
      if (servers !== undefined) resolver.setServers(servers)
      const timer = setTimeout(() => resolver.cancel(), timeoutMs)
      try {
        const responses = await Promise.all([
          askFor(() => resolver.resolve4(hostname)),
          askFor(() => resolver.resolve6(hostname)),
        ])
        const addresses = responses.flatMap((response) => ('addresses' in response ? response.addresses : []))
        // Addresses of one family are enough: broken AAAA lookups are common and harmless.
        const failed = responses.find((response) => 'failure' in response)
        if (addresses.length === 0 && failed !== undefined) {
          throw new NameResolutionFailed(`no DNS response for ${hostname}`, { cause: failed.failure })
        }
        return addresses
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

async function askFor(ask: () => Promise<string[]>): Promise<{ addresses: string[] } | { failure: unknown }> {
  try {
    return { addresses: await ask() }
  } catch (error) {
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
    return code !== undefined && noSuchName.has(code) ? { addresses: [] } : { failure: error }
  }
}
