import ipaddr from 'ipaddr.js'

/**
 * The key under which requests from an address are counted. Anyone with one IPv6 address usually controls its whole /64, so a /64
 * counts as one address. An IPv4 address mapped into IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/64`).toString()}/64`
}
