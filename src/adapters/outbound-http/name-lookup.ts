import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { bulkhead } from 'cockatiel'

/**
 * The system's resolver blocks one of the four threads that files and password hashes need too, for as long as a dead name
 * server lets it wait. So many of them at most, whatever is asked for.
 */
const threads = 3

/**
 * Looks names up for all connections of the process: each name once for all that want it at the same time, and no more names
 * at once than leave threads for everything else. Nothing is kept: what the system's resolver says counts.
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
