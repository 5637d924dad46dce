import ipaddr from 'ipaddr.js'

/**
 * Returns a function that checks whether an address matches one of these addresses or CIDR ranges. An IPv4 address
 * mapped into IPv6 counts as IPv4. The ranges must be valid.
 */
export function createAddressFilter(ranges: readonly string[]): (address: string | undefined) => boolean {
  const parsed = ranges.map((range) => (ipaddr.isValidCIDR(range) ? ipaddr.parseCIDR(range) : hostRange(range)))
  if (parsed.length === 0) return () => false
  return (address) => {
    if (address === undefined || !ipaddr.isValid(address)) return false
    const peer = ipaddr.process(address)
    return parsed.some(([start, bits]) => start.kind() === peer.kind() && peer.match(start, bits))
  }
}

function hostRange(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}

/** What logs have in place of an IP address: 96 bits of its keyed hash. `hash` is the deployment's keyed hash. */
export function hashOfAddress(hash: (text: string) => string, address: string): string {
  return hash(`address ${address}`).slice(-16)
}
