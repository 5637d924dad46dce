/** A supplier's response for a postcode, with its time. */
export interface CachedLookup {
  /** The properties that it listed. */
  addressUids: string[]
  fetchedAt: Date
}

const day = 24 * 60 * 60 * 1_000

/** Addresses rarely change, and a supplier charges for each query. A month suits both. */
const maxAge = 30 * day

/** A postcode without properties is often a new street, and querying an empty postcode is free. */
const maxEmptyAge = day

/** Whether the response is recent enough to use. One from a clock ahead of ours counts as recent. */
export function isLookupFresh({ addressUids, fetchedAt }: CachedLookup, now: Date): boolean {
  return now.getTime() - fetchedAt.getTime() < (addressUids.length === 0 ? maxEmptyAge : maxAge)
}
