import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import { NameResolutionFailed, type NameResolver } from '../../domain/webhooks/egress/name-resolver.ts'

/** What a name server says of a name that is not there, or has no record of the kind asked for. */
const noSuchName = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

interface SystemResolverOptions {
  /** After which a name counts as unanswered. */
  timeoutMs?: number
  /** `address:port` of the name servers; the machine's own unless given. */
  servers?: readonly string[]
}

/**
 * Asks the machine's name servers directly. Not `getaddrinfo`: that occupies one of Node's few threads for as long as a
 * partner's name servers care to stay silent, and would apply the machine's search domains and hosts file, which are
 * nobody's business here. `localhost` is what RFC 6761 says it is.
 */
export function createSystemResolver({ timeoutMs = 4_000, servers }: SystemResolverOptions = {}): NameResolver {
  return {
    async resolve(hostname) {
      if (isIP(hostname) !== 0) return [hostname]
      if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1', '::1']
      refuseInsideTransaction('a name server')
      const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
      if (servers !== undefined) resolver.setServers(servers)
      const timer = setTimeout(() => resolver.cancel(), timeoutMs)
      try {
        const answers = await Promise.all([
          askFor(() => resolver.resolve4(hostname)),
          askFor(() => resolver.resolve6(hostname)),
        ])
        const addresses = answers.flatMap((answer) => ('addresses' in answer ? answer.addresses : []))
        // One family answering is enough: broken AAAA look-ups are common and harmless.
        const failed = answers.find((answer) => 'failure' in answer)
        if (addresses.length === 0 && failed !== undefined) {
          throw new NameResolutionFailed(`no response about ${hostname}`, { cause: failed.failure })
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
