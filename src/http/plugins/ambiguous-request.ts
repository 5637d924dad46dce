import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'
import type { ServerLimits } from '../server-limits.ts'

/** host, IPv4 or [IPv6], with or without a port (RFC 9110 §7.2). */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Of these Node keeps the first and others the last. */
const givenOnce = ['Authorization', 'Content-Type'] as const

/**
 * Refuses what two readers on the way could understand in two ways, and what is more than any call needs: no host or
 * several (RFC 9112 §3.2), credentials or a type of the body given twice, too many header fields, too many query parameters.
 */
export function refuseAmbiguousRequests(app: FastifyInstance, limits: ServerLimits): void {
  app.addHook('onRequest', async (request) => {
    const { rawHeaders } = request.raw
    if (rawHeaders.length / 2 > limits.headerFields)
      throw new DomainError('headers_too_large', `Send at most ${limits.headerFields} header fields.`)
    refuseUnclearHost(request, rawHeaders)
    for (const name of givenOnce) {
      if (valuesOf(name, rawHeaders).length > 1)
        throw new DomainError('invalid_request', `Send at most one ${name} header.`)
    }
    if (countOf('&', request.url) >= limits.queryParameters)
      throw new DomainError('invalid_request', `Send at most ${limits.queryParameters} query parameters.`)
  })
}

function refuseUnclearHost({ raw }: FastifyRequest, rawHeaders: readonly string[]): void {
  const hosts = valuesOf('Host', rawHeaders)
  if (hosts.length === 0 && raw.httpVersion === '1.0') return
  const [host] = hosts
  if (hosts.length === 1 && host !== undefined && hostForm.test(host)) return
  throw new DomainError('invalid_request', 'Send exactly one Host header, with the name or address of this service.')
}

/** What stands in the fields of this name, in whatever letter case. */
function valuesOf(name: string, rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase())
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1
  return count
}
