import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../kernel/errors.ts'
import type { ServerLimits } from '../server-limits.ts'

/** A host name, IPv4 address or [IPv6 address], with or without a port (RFC 9110 §7.2). */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** If one of these headers is repeated, Node uses the first value, but other servers may use the last. */
const givenOnce = ['Host', 'Authorization', 'Content-Type'] as const
const namesOfOnce = new Map(givenOnce.map((name) => [name.toLowerCase(), name]))

/**
 * Rejects requests that two servers along the way could interpret differently, or that exceed what any operation needs.
 * Examples are a missing or repeated Host (RFC 9112 §3.2), repeated credentials or content types, and too many header
 * fields or query parameters. After a header that is missing or repeated, the connection is closed, because what else
 * comes on it may be somebody else's.
 */
export function rejectAmbiguousRequests(app: FastifyInstance, limits: ServerLimits): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders } = request.raw
    if (rawHeaders.length / 2 > limits.headerFields)
      throw new DomainError('headers_too_large', `Send at most ${limits.headerFields} header fields.`)
    const values = valuesOfOnce(rawHeaders)
    const unclear = unclearHost(request, values.Host) ?? repeatedHeader(values)
    if (unclear !== undefined) {
      reply.header('Connection', 'close')
      throw new DomainError('invalid_request', unclear)
    }
    if (countOf('&', request.url) >= limits.queryParameters)
      throw new DomainError('invalid_request', `Send at most ${limits.queryParameters} query parameters.`)
    done()
  })
}

function unclearHost({ raw }: FastifyRequest, hosts: readonly string[]): string | undefined {
  if (hosts.length === 0 && raw.httpVersion === '1.0') return undefined
  const [host] = hosts
  if (hosts.length === 1 && host !== undefined && hostForm.test(host)) return undefined
  return 'Send exactly one Host header, with the name or address of this service.'
}

function repeatedHeader(values: ReturnType<typeof valuesOfOnce>): string | undefined {
  const name = givenOnce.find((each) => values[each].length > 1)
  return name === undefined ? undefined : `Send at most one ${name} header.`
}

/** The values of the header fields that may be given once, in any letter case. */
function valuesOfOnce(rawHeaders: readonly string[]): Record<(typeof givenOnce)[number], string[]> {
  const values = { Host: [], Authorization: [], 'Content-Type': [] } as ReturnType<typeof valuesOfOnce>
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = namesOfOnce.get(rawHeaders[index]?.toLowerCase() ?? '')
    if (name !== undefined) values[name].push(rawHeaders[index + 1] ?? '')
  }
  return values
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1
  return count
}
