/** What logs have in place of an IP address: 96 bits of its keyed hash. `hash` is the deployment's keyed hash. */
export function hashOfAddress(hash: (text: string) => string, address: string): string {
  return hash(`address ${address}`).slice(-16)
}
