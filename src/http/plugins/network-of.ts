import ipaddr from 'ipaddr.js'

/**
 * What an address is counted as. Whoever has one IPv6 address has its whole /64, so that all of it counts as one; an IPv4 address
 * written as IPv6 is the IPv4 address.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/64`).toString()}/64`
}
