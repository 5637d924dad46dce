export interface ContractUrlPolicy {
  /** The base URL of the document links: the value of PUBLIC_URL. */
  publicUrl: string
  /** The value of CONTRACT_URL_TTL_SECONDS. */
  lifetimeSeconds: number
}

/** When a link that is made now expires, in whole seconds, so that `expiresAt` equals the token's expiry. */
export function linkExpiry(now: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(now.getTime() / 1000) + lifetimeSeconds) * 1000)
}
