import { randomFillSync } from 'node:crypto'

/** The kinds of id we issue. Each is a TypeID: a prefix, an underscore and a UUIDv7 in base 32. */
export type IdKind =
  | 'partner'
  | 'quote'
  | 'tenant'
  | 'entry'
  | 'refund'
  | 'webhook'
  | 'event'
  | 'delivery'
  | 'replay'
  | 'availability'
  | 'request'
  | 'address'
  | 'claim'
  | 'mail'
  | 'person'
  | 'session'
  | 'death'
  | 'import'
  | 'line'
  | 'query'

/** An id of one kind. The prefix is part of the type, so passing an id of another kind does not compile. */
export type Id<Kind extends IdKind> = `${Kind}_${string}`

const digits = [...'0123456789abcdefghjkmnpqrstvwxyz']
/** Each number below 1,024 in base 32. */
const pairs = digits.flatMap((first) => digits.map((second) => first + second))

const randomNumbers = new Uint32Array(1_024)
let numbersUsed = randomNumbers.length

/**
 * The number counts up in steps that nobody can foresee. Thousands fit into a millisecond; if the clock stands still,
 * the ids' time goes on.
 */
const longestStep = 65_535
const lastCount = 2 ** 30 - longestStep - 2

/** The time of the last id, the digits of that time and of what follows, and the number that keeps its ids in order. */
const last = { ms: 0, head: '', count: 0 }

/**
 * A new id, e.g. `quote_01h455vb4pex5vsknk084sn02q`. Ids of one process sort by creation, and those of several by the
 * millisecond. (RFC 9562 §6.2, method 2: within a millisecond, a part of the random bits counts up.)
 */
export function newId<Kind extends IdKind>(kind: Kind): Id<Kind> {
  const ms = Math.max(Date.now(), last.count > lastCount ? last.ms + 1 : last.ms)
  if (ms > last.ms) {
    last.ms = ms
    last.head = headOf(ms)
    last.count = random30() >>> 1
  } else last.count += 1 + (random30() & longestStep)
  return `${kind}_${last.head}${sixDigits(last.count)}${sixDigits(random30())}`
}

/** 14 digits: ten of time, then the version (0111) and the variant (10) among random bits. */
function headOf(ms: number): string {
  const [low, random] = [ms % 2 ** 20, random30()]
  const time = `${sixDigits(Math.floor(ms / 2 ** 20))}${pairs[low >>> 10]}${pairs[low & 1_023]}`
  return `${time}${pairs[0b01110_00000 | (random & 0b1_11111)]}${pairs[0b00000_01000 | ((random >>> 6) & 0b11111_10011)]}`
}

/** A number of at most 30 bits. */
function sixDigits(number: number): string {
  return `${pairs[number >>> 20]}${pairs[(number >>> 10) & 1_023]}${pairs[number & 1_023]}`
}

function random30(): number {
  if (numbersUsed === randomNumbers.length) {
    randomFillSync(randomNumbers)
    numbersUsed = 0
  }
  const number = randomNumbers[numbersUsed] ?? 0
  numbersUsed += 1
  return number >>> 2
}

/** The id of a UUID, which is given as its 16 bytes. (https://github.com/jetify-com/typeid, "Base32 encoding") */
export function idOfUuid<Kind extends IdKind>(kind: Kind, uuid: Buffer): Id<Kind> {
  const number = BigInt(`0x${uuid.toString('hex')}`)
  const written = Array.from({ length: 26 }, (_, count) => digits[Number((number >> BigInt(125 - 5 * count)) & 31n)])
  return `${kind}_${written.join('')}`
}

const suffix = /^[0-9a-z]{26}$/

/** Whether text has the format of an id of this kind. Does not check that the row exists. */
export function isId<Kind extends IdKind>(kind: Kind, text: string): text is Id<Kind> {
  return text.startsWith(`${kind}_`) && suffix.test(text.slice(kind.length + 1))
}
