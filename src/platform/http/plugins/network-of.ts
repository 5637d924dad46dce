import ipaddr from 'ipaddr.js'

/**
 * The key under which requests from an address are counted. Anyone with one IPv6 address usually controls its whole
 * /64, so a /64 counts as one address. An IPv4 address mapped into IPv6 counts as IPv4.
 */
export function networkOf(address: string): string {
  return withinPrefix(address, 64)
}

/**
 * The key under which addresses take turns. A provider's customer often controls a whole /48 of IPv6, with 65,536
 * networks.
 */
export function siteOf(address: string): string {
  return withinPrefix(address, 48)
}

function withinPrefix(address: string, ipv6Bits: number): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const range = `${parsed.toNormalizedString().replace(/%.*$/, '')}/${ipv6Bits}`
  return `${ipaddr.IPv6.networkAddressFromCIDR(range).toString()}/${ipv6Bits}`
}
