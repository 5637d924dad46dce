import ipaddr from 'ipaddr.js'

/**
 * `public` addresses may be contacted, `loopback` addresses only if the sandbox allows it, and any other address never.
 */
export interface AddressClass {
  kind: 'public' | 'loopback' | 'forbidden'
  /** A description that can follow "is" in a sentence, such as "a private address". */
  words: string
}

/** Descriptions of the ranges that are neither public nor loopback, by their names in `ipaddr.js`. */
const forbiddenRanges: Readonly<Record<string, string>> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  carrierGradeNat: 'a carrier-grade NAT address',
  benchmarking: 'an address reserved for benchmarking',
  unspecified: 'an unspecified address',
  ipv4Mapped: 'an IPv6 address that embeds an IPv4 address',
  rfc6145: 'an IPv6 address that embeds an IPv4 address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
}

/**
 * Azure's virtual public address, behind which the host answers its virtual machines, with their credentials among
 * other things.
 */
const cloudHostV4 = ipaddr.parseCIDR('168.63.129.16/32')
const benchmarkingV4 = ipaddr.parseCIDR('198.18.0.0/15')
const relay6to4 = ipaddr.parseCIDR('192.88.99.0/24')
const documentation = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'].map((range) =>
  ipaddr.parseCIDR(range),
)
/** Reserved for protocols (RFC 2928): Teredo, benchmarking, ORCHID. Receivers have no addresses in this range. */
const protocolAssignmentsV6 = ipaddr.parseCIDR('2001::/23')
/** The only IPv6 space allocated to the public Internet. Everything else is reserved, including ::127.0.0.1. */
const globalUnicastV6 = ipaddr.parseCIDR('2000::/3')

/**
 * Classifies an IP address (docs/webhooks.md#which-urls-are-accepted). Accepts only the canonical form that resolvers
 * and URL parsers return. Anything else is forbidden, and so is everything that the registries do not list as public.
 */
export function classifyAddress(address: string): AddressClass {
  if (!isCanonical(address)) return forbidden('not an IP address')
  const parsed = ipaddr.parse(address)
  const range: string = parsed.range()
  if (range === 'loopback') return { kind: 'loopback', words: 'a loopback address' }
  if (isWithin(parsed, documentation)) return forbidden('an address reserved for documentation')
  if (isWithin(parsed, [cloudHostV4])) return forbidden("an address of a cloud provider's own services")
  if (isWithin(parsed, [benchmarkingV4])) return forbidden('an address reserved for benchmarking')
  if (isWithin(parsed, [relay6to4])) return forbidden('a 6to4 address')
  if (range !== 'unicast') return forbidden(forbiddenRanges[range] ?? 'a reserved address')
  if (isWithin(parsed, [protocolAssignmentsV6])) return forbidden('a reserved address')
  if (parsed.kind() === 'ipv6' && !isWithin(parsed, [globalUnicastV6])) return forbidden('a reserved address')
  return { kind: 'public', words: 'a public address' }
}

/**
 * `ipaddr.js` also reads octal, hexadecimal and shortened forms, which other software may read differently. Zone ids
 * are not allowed.
 */
function isCanonical(address: string): boolean {
  if (address.includes('%')) return false
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
}

type Ip = ReturnType<typeof ipaddr.parse>

function isWithin(address: Ip, ranges: readonly (readonly [Ip, number])[]): boolean {
  return ranges.some(([network, bits]) => {
    if (address instanceof ipaddr.IPv4 && network instanceof ipaddr.IPv4) return address.match(network, bits)
    if (address instanceof ipaddr.IPv6 && network instanceof ipaddr.IPv6) return address.match(network, bits)
    return false
  })
}

function forbidden(words: string): AddressClass {
  return { kind: 'forbidden', words }
}
