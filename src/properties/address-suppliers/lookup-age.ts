/** A supplier's response for a postcode and the time it was fetched. */
export interface CachedLookup {
  /** The properties that the response listed. */
  addressUids: string[]
  fetchedAt: Date
}

const day = 24 * 60 * 60 * 1_000

/** The lifetime of a response: a month, because addresses rarely change and suppliers charge for each query. */
const maxAge = 30 * day

/**
 * The lifetime of an empty response: a day, because a postcode without properties is often a new street, and suppliers
 * do not charge for an empty response.
 */
const maxEmptyAge = day

/**
 * Whether the response is recent enough to use. A response fetched by a server whose clock is ahead counts as recent.
 */
export function isLookupFresh({ addressUids, fetchedAt }: CachedLookup, now: Date): boolean {
  return now.getTime() - fetchedAt.getTime() < (addressUids.length === 0 ? maxEmptyAge : maxAge)
}
