import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { addDays, londonDate, startOfLondonDay } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { isServedPostcode } from '../postcodes/postcode.ts'
import { countMatchedLines, findMatchedLines } from '../properties.store.ts'
import type { AddressSource, Property } from '../property.ts'
import { type Candidate, isSure, type Listed, listedOf, rankCandidates } from './rank-candidates.ts'
import { readWritten, takePostcode } from './written-address.ts'

/** An address as somebody wrote it. The postcode may be part of the text. */
export interface AddressLine {
  address: string
  postcode?: string
  uprn?: string
}

/** Why a line has no candidate. */
export const noMatchReasons = [
  'postcode_missing',
  'postcode_incomplete',
  'postcode_not_served',
  'no_property_matches',
] as const

/** What was found for a line. */
export type LineMatch =
  | { outcome: 'sure' | 'choose'; reason: null; candidates: readonly Candidate[] }
  | { outcome: 'none'; reason: (typeof noMatchReasons)[number]; candidates: readonly [] }

/** The most candidates of a line. */
export const mostCandidates = 25

/** A score from which the postcode's other sectors need not be searched. */
const goodScore = 0.75

/**
 * Finds the property of each line, in the order of the lines. `sure` is said only if number, street and postcode agree
 * and no other property comes near. Throws `rate_limited` if the partner has had more lines matched today than the
 * deployment allows, because address data is licensed.
 */
export async function matchAddresses(
  deps: { db: Database; addresses: AddressSource; clock: Clock; addressMatchesPerDay: number },
  caller: Caller,
  lines: readonly AddressLine[],
): Promise<LineMatch[]> {
  const now = deps.clock.now()
  const day = londonDate(now)
  const { partnerId } = caller
  // Suppliers charge for lookups, so a partner who is over the limit starts none.
  rejectAbove(deps, (await findMatchedLines(deps.db, partnerId, day)) + lines.length, now)
  const find = createFinder(deps.addresses)
  const matches: LineMatch[] = []
  for (const line of lines) {
    matches.push(await matchLine(find, line))
    // Comparing takes a millisecond a line, in which nobody else is served.
    await new Promise(setImmediate)
  }
  return inTransaction(deps.db, caller, async (tx) => {
    rejectAbove(deps, await countMatchedLines(tx, { partnerId, day, lines: lines.length }), now)
    return matches
  })
}

function rejectAbove({ addressMatchesPerDay }: { addressMatchesPerDay: number }, lines: number, now: Date): void {
  if (addressMatchesPerDay === 0 || lines <= addressMatchesPerDay) return
  const tomorrow = startOfLondonDay(addDays(londonDate(now), 1))
  throw new DomainError(
    'rate_limited',
    `You can have ${addressMatchesPerDay} addresses matched a day. Continue tomorrow, or ask the operator for more.`,
    { retryAfterSeconds: Math.ceil((tomorrow.getTime() - now.getTime()) / 1_000) },
  )
}

type Finder = ReturnType<typeof createFinder>

/** Finds properties, and takes the addresses of a postcode apart once for all lines. */
export function createFinder(addresses: Pick<AddressSource, 'findByPostcode' | 'findInSector' | 'findByUprn'>) {
  const known = new Map<string, readonly Listed[]>()
  return {
    async atPostcode(postcode: string): Promise<readonly Listed[]> {
      const listed = known.get(postcode) ?? (await addresses.findByPostcode(postcode)).map(listedOf)
      known.set(postcode, listed)
      return listed
    },
    inSector: async (sector: string, word: string) => (await addresses.findInSector(sector, word)).map(listedOf),
    byUprn: (uprn: string): Promise<Property | null> => addresses.findByUprn(uprn.replace(/^0+/, '')),
  }
}

/** Finds the property of one line. */
export async function matchLine(
  find: Finder,
  { address, postcode: written = '', uprn }: AddressLine,
): Promise<LineMatch> {
  const inField = takePostcode(written)
  const { postcode, sector, rest } = inField.sector === null ? takePostcode(address) : { ...inField, rest: address }
  const text = { ...readWritten(rest), postcode }
  const named = uprn === undefined ? null : await find.byUprn(uprn)
  if (named !== null) {
    const [candidate] = rankCandidates(text, [listedOf(named)])
    if (candidate !== undefined && postcode === named.postcode)
      return { outcome: 'sure', reason: null, candidates: [candidate] }
  }
  if (sector === null) return none(/[a-z]\d/i.test(written) ? 'postcode_incomplete' : 'postcode_missing')
  if (!isServedPostcode(postcode ?? `${sector}AA`)) return none('postcode_not_served')
  const there = postcode === null ? [] : await find.atPostcode(postcode)
  let candidates = rankCandidates(text, there)
  const word = searchWord(text)
  if ((candidates[0]?.score ?? 0) < goodScore && word !== undefined) {
    const elsewhere = (await find.inSector(sector, word)).filter(({ property }) => property.postcode !== postcode)
    candidates = [...candidates, ...rankCandidates(text, elsewhere)].sort((a, b) => b.score - a.score)
  }
  const outcome = isSure(candidates, there) ? 'sure' : 'choose'
  if (candidates.length === 0) return none('no_property_matches')
  return { outcome, reason: null, candidates: candidates.slice(0, outcome === 'sure' ? 1 : mostCandidates) }
}

function none(reason: (typeof noMatchReasons)[number]): LineMatch {
  return { outcome: 'none', reason, candidates: [] }
}

/** What a property must have to be searched in a sector: the building's number, otherwise the longest word. */
function searchWord({ places, words }: ReturnType<typeof readWritten>): string | undefined {
  const [number] = places.flatMap((place) => /^\d+/.exec(place.number ?? '') ?? [])
  return number ?? [...words].sort((a, b) => b.length - a.length).find((word) => /^[a-z0-9]+$/.test(word))
}
