import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { bulkhead } from 'cockatiel'

/** The part of DNS that we need. */
export interface NameResolver {
  /**
   * All IPv4 and IPv6 addresses of a fully qualified name in canonical form; empty if the name does not exist or has no
   * addresses. Rejects with `NameResolutionFailed` if the lookup failed. The promise always settles within seconds.
   */
  resolve(hostname: string): Promise<readonly string[]>
}

/** The lookup failed, so it is not known whether the name exists. */
export class NameResolutionFailed extends Error {
  override readonly name = 'NameResolutionFailed'
}

/**
 * The maximum number of concurrent lookups. Each one blocks one of the four threads that are shared with file I/O and
 * password hashing. If the name server is dead, the thread stays blocked until the lookup times out.
 */
const threads = 3

/**
 * Looks up names for all connections of the process. Concurrent lookups of one name are combined, and at least one
 * thread stays free for other work. Nothing is cached here; that is left to the system's resolver.
 */
export function createNameLookup(): LookupFunction {
  const lanes = bulkhead(threads, Number.POSITIVE_INFINITY)
  const underWay = new Map<string, Promise<Resolved>>()

  function resolveOnce(hostname: string, options: dns.LookupOptions): Promise<Resolved> {
    const question = JSON.stringify([hostname, options.family, options.hints, options.all, options.order])
    const current = underWay.get(question)
    if (current !== undefined) return current
    const asking = lanes.execute(() => resolve(hostname, options)).finally(() => underWay.delete(question))
    underWay.set(question, asking)
    return asking
  }

  return (hostname, options, callback) => {
    resolveOnce(hostname, options).then(
      ({ address, family }) => callback(null, address, family),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

interface Resolved {
  address: string | dns.LookupAddress[]
  family: number | undefined
}

function resolve(hostname: string, options: dns.LookupOptions): Promise<Resolved> {
  return new Promise((done, fail) => {
    dns.lookup(hostname, options, (error, address, family) => {
      if (error === null) done({ address, family })
      else fail(error)
    })
  })
}
