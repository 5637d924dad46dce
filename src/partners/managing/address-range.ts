import { isIP } from 'node:net'

/** Whether the text is an IP address or a CIDR range such as 192.0.2.0/24 from which credentials can be allowed. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  // An IPv4 address mapped into IPv6 counts as IPv4 when a call arrives, so such a range would match nothing.
  if (family === 0 || address.includes('%') || /^::ffff:/i.test(address) || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
