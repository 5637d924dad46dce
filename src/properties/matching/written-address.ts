import { fix } from 'postcode'
import { normalisePostcode } from '../postcodes/postcode.ts'

/** Where a property may be: its number within a building, and the building's number. */
export interface Place {
  /** The flat, such as `4`, `b` or `0/1`; null if the property is the whole building. */
  unit: string | null
  /** The number of the building, such as `34`, `44a` or `12-14`; null if it has a name only. */
  number: string | null
  /** Whether the text says which number is which. If not, the numbers may be read in another way. */
  isExplicit: boolean
}

/** An address as somebody wrote it, taken apart. */
export interface WrittenAddress {
  /** The ways to read its numbers, the likeliest first. Never empty. */
  places: readonly Place[]
  /** Its words without numbers, in one spelling: `road`, `Rd` and `rd.` are all `rd`. */
  words: readonly string[]
  /** Whether it has more numbers than one property needs. */
  hasMoreNumbers: boolean
}

/** Words that come before the number of a flat. */
const unitWord = /^(?:flat|flt|fla|fl|apartment|apartmt|appartment|appt|apts?|unit|studio|room|rm)$/
const unitWithNumber = /^(?:flat|flt|fl|f|apartment|apt|unit|studio|room|rm)((?:\d+[a-z]?)(?:[/.]\d+[a-z]?)?)$/

/** One spelling for words that are written in several ways. `st` is both street and saint. */
const spellings = new Map(
  Object.entries({
    rd: 'road',
    st: 'street str saint',
    ave: 'avenue av avn avenu',
    ln: 'lane la',
    dr: 'drive drv',
    cl: 'close clo',
    ct: 'court crt cou',
    cres: 'crescent cresc cr crs',
    gdns: 'gardens garden gdn gds',
    gr: 'grove grv gro',
    pl: 'place plc',
    ter: 'terrace terr tce trc',
    sq: 'square sqr',
    hse: 'house ho hs',
    bldgs: 'building buildings bldg bld',
    mt: 'mount mnt',
    pk: 'park',
    n: 'north nth',
    s: 'south sth',
    e: 'east',
    w: 'west',
    ground: 'grd gnd',
    first: '1st',
    second: '2nd',
    third: '3rd',
    fourth: '4th',
    floor: 'flr',
    basement: 'bsmt',
  }).flatMap(([spelling, others]) => others.split(' ').map((other): [string, string] => [other, spelling])),
)

/** Words that say nothing of where in a postcode a property is. */
const meaningless = new Set('the of no number uk gb united kingdom england scotland wales great britain and'.split(' '))

const floors = new Set(['basement', 'ground', 'first', 'second', 'third', 'fourth', 'top', 'lower', 'upper'])
const flatNumber = /^(?:\d+[a-z]?|[a-z]\d*)(?:[/.]\d+[a-z]?)?$/
const anyNumber = /^\d+[a-z]?(?:[-/]\d+[a-z]?)?$/

/** Takes an address without its postcode apart. Any text gives a result. */
export function readWritten(text: string): WrittenAddress {
  const tokens = tokensOf(text)
  const { unit, others } = takeUnit(tokens)
  const numbers = others.filter((token) => anyNumber.test(token))
  const words = others.filter((token) => !anyNumber.test(token))
  const places = unit === null ? readNumbers(numbers) : readWithUnit(unit, numbers)
  const needed = unit === null ? 2 : 1
  return { places, words, hasMoreNumbers: numbers.length > needed }
}

function tokensOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
  const spaced = plain
    .replace(/['’`]/g, '')
    .replace(/(\d[a-z]?)\s*[-–—]\s*(\d)/g, '$1-$2')
    .replace(/(\d)\s*\/\s*(\d)/g, '$1/$2')
    .replace(/(\d)\s*-\s*([a-z])\b/g, '$1$2')
    .replace(/[^a-z0-9/.-]+/g, ' ')
    .replace(/(?<!\d)[/.-]|[/.-](?!\d)/g, ' ')
  const tokens: string[] = []
  for (const token of spaced.split(' ').filter((each) => each !== '')) {
    const [, numberOfUnit] = unitWithNumber.exec(token) ?? []
    const before = tokens.at(-1) ?? ''
    if (numberOfUnit !== undefined) tokens.push('flat', numberOfUnit)
    else if (/^gff?$/.test(token)) tokens.push('ground', 'flat')
    else if (unitWord.test(token)) tokens.push('flat')
    // `44 A` is 44a, but not if the letter is the flat's.
    else if (/^[a-d]$/.test(token) && /^\d+$/.test(before) && tokens.at(-2) !== 'flat')
      tokens.splice(-1, 1, before + token)
    else if (!meaningless.has(token)) tokens.push(spellings.get(token) ?? token)
  }
  return tokens
}

/** Finds the flat that the text names with a word: `flat 4`, `ground floor flat`, `flat 4/34`. */
function takeUnit(tokens: readonly string[]): { unit: string | null; others: string[] } {
  const floor = tokens.findIndex(
    (token, index) => floors.has(token) && /^(?:floor|flat)$/.test(tokens[index + 1] ?? ''),
  )
  if (floor !== -1) {
    const others = tokens.filter((token, index) => index !== floor && token !== 'floor' && token !== 'flat')
    return { unit: tokens[floor] ?? null, others }
  }
  const at = tokens.findIndex((token, index) => token === 'flat' && flatNumber.test(tokens[index + 1] ?? ''))
  const others = tokens.filter((token, index) => token !== 'flat' && (at === -1 || index !== at + 1))
  return { unit: at === -1 ? null : (tokens[at + 1] ?? null), others }
}

function readWithUnit(unit: string, numbers: readonly string[]): Place[] {
  const [first] = numbers
  const [, inUnit, building] = /^([^/]+)\/(.+)$/.exec(unit) ?? []
  if (first === undefined && inUnit !== undefined && building !== undefined)
    return [
      { unit: inUnit, number: building, isExplicit: true },
      { unit, number: null, isExplicit: true },
    ]
  return numbers.length === 0
    ? [{ unit, number: null, isExplicit: true }]
    : numbers.map((number) => ({ unit, number, isExplicit: numbers.length === 1 }))
}

function readNumbers(numbers: readonly string[]): Place[] {
  const [first, second] = numbers
  if (first === undefined) return [{ unit: null, number: null, isExplicit: true }]
  if (second !== undefined) {
    const withFloor = [first, second].find((number) => number.includes('/'))
    if (withFloor !== undefined) {
      const building = withFloor === first ? second : first
      return [{ unit: withFloor, number: building, isExplicit: true }]
    }
    return [
      { unit: first, number: second, isExplicit: false },
      { unit: second, number: first, isExplicit: false },
    ]
  }
  const places: Place[] = [{ unit: null, number: first, isExplicit: !first.includes('/') }]
  const [, left, right] = /^(\w+)[/-](\w+)$/.exec(first) ?? []
  if (left !== undefined && right !== undefined) {
    places.push({ unit: left, number: right, isExplicit: false })
    if (first.includes('/')) places.push({ unit: right, number: left, isExplicit: false })
  }
  const [, digits, letter] = /^(\d+)([a-z])$/.exec(first) ?? []
  if (digits !== undefined && letter !== undefined) places.push({ unit: letter, number: digits, isExplicit: false })
  places.push({ unit: first, number: null, isExplicit: false })
  return places
}

/** What a text says of its postcode. */
export interface WrittenPostcode {
  /** Normalised; null if the text has no whole postcode. */
  postcode: string | null
  /** The postcode's sector, such as `LS2 9`; null if the text has less. */
  sector: string | null
  /** The text without it. */
  rest: string
}

const wholePostcode = /\b([a-z]{1,2}[0-9oi][0-9oia-z]?)[\s.-]*([0-9oi][a-z]{2})\b/gi
const onlySector = /\b([a-z]{1,2}\d[\da-z]?)\s+(\d)(?=\s*(?:$|[,\n]))/gi

/** Finds the last postcode of a text, also with a letter O for a zero or a letter I for a one. */
export function takePostcode(text: string): WrittenPostcode {
  for (const found of [...text.matchAll(wholePostcode)].reverse()) {
    const postcode = normalisePostcode(found[0].replaceAll('.', ' ')) ?? normalisePostcode(fix(found[0]))
    if (postcode !== null) return { postcode, sector: postcode.slice(0, -2), rest: without(text, found) }
  }
  const [sector] = [...text.matchAll(onlySector)].reverse()
  if (sector === undefined) return { postcode: null, sector: null, rest: text }
  const [, district = '', digit = ''] = sector
  return { postcode: null, sector: `${district.toUpperCase()} ${digit}`, rest: without(text, sector) }
}

function without(text: string, { 0: found, index }: RegExpExecArray): string {
  return `${text.slice(0, index)} ${text.slice(index + found.length)}`
}
