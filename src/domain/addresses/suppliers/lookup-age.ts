/** What a supplier said of a postcode, and when. */
export interface KeptLookup {
  /** Of the homes it listed. */
  addressUids: string[]
  fetchedAt: Date
}

const day = 24 * 60 * 60 * 1_000

/**
 * Homes are built and renamed rarely, and a supplier charges for every question: a month is short enough for the one and
 * long enough for the other.
 */
const homesAge = 30 * day

/** A postcode without homes is a new street's before it is anything else; asking for it again costs nothing. */
const nothingAge = day

/** Whether the answer can still be used without asking again. One from a clock ahead of ours is used. */
export function isFresh({ addressUids, fetchedAt }: KeptLookup, now: Date): boolean {
  return now.getTime() - fetchedAt.getTime() < (addressUids.length === 0 ? nothingAge : homesAge)
}
