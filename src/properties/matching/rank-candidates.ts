import leven from 'leven'
import type { Property } from '../property.ts'
import { type Place, readWritten, type WrittenAddress } from './written-address.ts'

/** Why a candidate is not exactly what was written. */
export const matchReasons = [
  'postcode_differs',
  'postcode_incomplete',
  'number_differs',
  'number_missing',
  'building_differs',
  'flat_differs',
  'flat_missing',
  'street_differs',
  'street_spelled_differently',
  'numbers_read_either_way',
  'more_was_written',
] as const
export type MatchReason = (typeof matchReasons)[number]

/** A property that may be meant. */
export interface Candidate {
  property: Property
  /** From 0 to 1, to two places. 1 if everything agrees. */
  score: number
  /** What does not agree; empty if everything agrees. */
  reasons: MatchReason[]
}

/** What properties are compared with. */
export interface Written extends WrittenAddress {
  /** The normalised postcode; null if only a part of it was written. */
  postcode: string | null
}

/** A property, its address taken apart once for all lines that it is compared with. */
export interface Listed {
  property: Property
  places: readonly Place[]
  street: readonly string[]
  /** The name of the building; empty if it has only a number. */
  building: readonly string[]
  town: ReadonlySet<string>
}

const leastScore = 0.5
const weights = { number: 0.45, unit: 0.25, street: 0.3 }

/** The properties that may be meant, the likeliest first. Those with a score below 0.5 are left out. */
export function rankCandidates(written: Written, listed: readonly Listed[]): Candidate[] {
  return listed
    .map((each) => compare(written, each))
    .filter(({ score }) => score >= leastScore)
    .sort((a, b) => b.score - a.score)
}

/**
 * Whether the first candidate is certainly meant: everything agrees, and nothing else comes near. A spelling of the
 * street may differ only where the number belongs to one property.
 */
export function isSure(candidates: readonly Candidate[], listed: readonly Listed[]): boolean {
  const [first, second] = candidates
  if (first === undefined || (second !== undefined && first.score - second.score < 0.05)) return false
  if (first.reasons.length === 0) return true
  const onlySpelling = first.reasons.every((reason) => reason === 'street_spelled_differently')
  return onlySpelling && first.score >= 0.9 && !hasNeighbours(first.property, listed)
}

/** Whether another property of the postcode shares the building's number: a flat, or `44A` beside `44`. */
function hasNeighbours(property: Property, listed: readonly Listed[]): boolean {
  const numbers = listed.filter((each) => each.property === property).flatMap(digitsOf)
  return listed.some((each) => each.property !== property && digitsOf(each).some((number) => numbers.includes(number)))
}

function digitsOf({ places }: Listed): string[] {
  return places.flatMap(({ number }) => (number === null ? [] : number.split(/\D+/).filter((each) => each !== '')))
}

/** Takes a property's address apart. */
export function listedOf(property: Property): Listed {
  const { addressLine1, addressLine2, city, county } = property
  const { places } = readWritten(`${addressLine1}, ${addressLine2}`)
  const parts = `${addressLine1}, ${addressLine2}`.split(',').map((part) => ({ ...readWritten(part), part }))
  const [{ number } = { number: null }] = places
  const withNumber = parts.findIndex(({ places: [place] }) => number !== null && holds(place, number))
  const from = Math.max(0, withNumber)
  const streetAt = parts.findIndex(({ words }, index) => index >= from && words.length > 0)
  const before = parts.slice(0, Math.max(0, streetAt)).flatMap(({ words }) => words)
  const next = number === null ? (parts[streetAt + 1]?.words ?? []) : []
  return {
    property,
    places: places.filter((place) => place.isExplicit || places.length === 1 || place === places[0]),
    street: number === null && next.length > 0 ? next : (parts[streetAt]?.words ?? []),
    building: number === null && next.length > 0 ? (parts[streetAt]?.words ?? []) : before,
    town: new Set(readWritten(`${city} ${county}`).words),
  }
}

function holds(place: Place | undefined, number: string): boolean {
  return place !== undefined && (place.number === number || (place.number === null && place.unit === number))
}

function compare(written: Written, listed: Listed): Candidate {
  const { property } = listed
  const words = written.words.filter((word) => !listed.town.has(word) || listed.street.includes(word))
  const street = similarity(listed.street, words)
  const building = listed.building.length === 0 ? null : similarity(listed.building, words)
  const readings = written.places.flatMap((asked) =>
    listed.places.map((place) => placeScore(asked, place, building ?? street)),
  )
  const best = readings.reduce((one, other) => (other.score > one.score ? other : one))
  const reasons = [...best.reasons]
  if (street < 0.6 || isOtherStreet(listed.street, words)) reasons.push('street_differs')
  else if (street < 1) reasons.push('street_spelled_differently')
  if (written.postcode === null) reasons.push('postcode_incomplete')
  else if (written.postcode !== property.postcode) reasons.push('postcode_differs')
  if (written.hasMoreNumbers || hasUnknownBuilding(words, listed)) reasons.push('more_was_written')
  const streetScore = street < 0.6 ? street * 0.3 : street
  const factor = written.postcode === property.postcode ? 1 : 0.9
  const score = (best.score + weights.street * streetScore) * factor
  return { property, reasons, score: Math.round(score * 100) / 100 }
}

/** Whether a word of the street's name is missing, or another kind of street was written: Mill Road is not Mill Lane. */
function isOtherStreet(street: readonly string[], words: readonly string[]): boolean {
  const kind = street.findLast((word) => streetKinds.has(word))
  const timesIn = (all: readonly string[]) => all.filter((word) => word === kind).length
  return (
    street.some((word) => word !== kind && !words.some((each) => likeness(word, each) > 0)) ||
    (timesIn(words) < timesIn(street) && words.some((word) => word !== kind && streetKinds.has(word)))
  )
}

const streetKinds = new Set('rd st ave ln dr cl cres gdns gr pl ter sq mews row way walk hill rise view'.split(' '))

/** Whether words remain that name a building or a floor which this property does not have. */
function hasUnknownBuilding(words: readonly string[], { street, building }: Listed): boolean {
  const known = [...street, ...building]
  return words.some((word) => buildingWords.has(word) && !known.includes(word))
}

const buildingWords = new Set(
  'hse ct bldgs lodge mill tower flat floor ground first second top basement annexe rear'.split(' '),
)

/** `building` is how much of the building's name was written, or of the street if it has no name. */
function placeScore(asked: Place, place: Place, building: number): { score: number; reasons: MatchReason[] } {
  const reasons: MatchReason[] = []
  let score = 0
  if (asked.number === null && place.number === null) {
    if (building < 0.8) reasons.push('building_differs')
    score += weights.number * building
  } else if (asked.number === place.number) score += weights.number
  else if (asked.number === null || place.number === null) {
    reasons.push('number_missing')
    score += weights.number * building * 0.8
  } else {
    reasons.push('number_differs')
    if (digits(asked.number) === digits(place.number)) score += weights.number * 0.5
  }
  if (asked.unit === place.unit) score += weights.unit
  else if (asked.unit === null || place.unit === null) {
    reasons.push(asked.unit === null ? 'flat_missing' : 'flat_differs')
    score += weights.unit * 0.4
  } else reasons.push('flat_differs')
  if (!asked.isExplicit) {
    reasons.push('numbers_read_either_way')
    score *= 0.95
  }
  return { score, reasons }
}

function digits(number: string): string {
  return /^\d*/.exec(number)?.[0] ?? ''
}

/** How much of the listed words was written: 1 if all were, in any order. */
function similarity(listed: readonly string[], words: readonly string[]): number {
  if (listed.length === 0) return words.length === 0 ? 1 : 0
  const total = listed.reduce((sum, word) => sum + weightOf(word), 0)
  const found = listed.reduce(
    (sum, word) => sum + weightOf(word) * Math.max(0, ...words.map((each) => likeness(word, each))),
    0,
  )
  return found / total
}

/** A kind of street says less than its name, but tells Mill Road from Mill Lane. */
function weightOf(word: string): number {
  return word.length <= 4 ? 2 : word.length
}

function likeness(listed: string, written: string): number {
  if (listed === written) return 1
  const longest = Math.max(listed.length, written.length)
  const allowed = longest >= 6 ? 2 : longest >= 5 ? 1 : 0
  const changes = leven(listed, written, { maxDistance: allowed + 1 })
  return changes <= allowed ? 1 - 0.12 * changes : 0
}
