import fc from 'fast-check'

/*
 * Turns a body into the bytes to send: JSON as JSON.stringify writes it, equivalent JSON in an unusual notation, JSON
 * with a damaged value, or bytes that are no longer JSON.
 */

export function toJsonText(value: unknown): string {
  return JSON.stringify(value)
}

/** Other ways to write the same JSON value. */
const notations: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(JSON.parse(text), null, '\t'),
  (text) => `\r\n ${text} \n`,
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll(/:(\d+)(?=[,}])/g, ':$1.0'),
  (text) => text.replaceAll(/:([1-9]\d*)(?=[,}])/g, ':$1e0'),
  (text) => text.replaceAll(/:0(?=[,}])/g, ':-0'),
  (text) => text.replaceAll(/"(?:[^"\\{]|\\.)*"/g, escapeAll),
]

function escapeAll(literal: string): string {
  const units = (JSON.parse(literal) as string).split('')
  return `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
}

export const oddNotation: fc.Arbitrary<(text: string) => string> = fc.constantFrom(...notations)

const strangers: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  '',
  'text',
  '\u0000',
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  Array(300).fill('x'),
  'x'.repeat(5_000),
]

/** Returns the value, damaged in one place; `at` selects the place. */
type ValueDamage = (value: unknown, at: number) => unknown

const replaceBy =
  (stranger: unknown): ValueDamage =>
  (value, at) =>
    changeAt(value, at, () => stranger)

const valueDamages: readonly ValueDamage[] = [
  ...strangers.map(replaceBy),
  (value, at) => changeAt(value, at, (inner) => [inner]),
  (value, at) => changeAt(value, at, (inner) => ({ inner })),
  (value, at) => changeAt(value, at, (inner) => (Array.isArray(inner) ? [...inner, ...inner] : String(inner))),
  (value, at) => changeAt(value, at, () => nested(25)),
  (value, at) => changeAt(value, at, () => nested(4_000)),
  (value, at) => (isObject(value) ? without(value, at) : null),
  (value, at) => (isObject(value) ? without(value, at) : null),
  (value) => (isObject(value) ? { ...value, unknownField: 1 } : value),
  (value) => (isObject(value) ? { ...value, 'a/b~c': 1, '': null } : value),
  // Adds a property of that name instead of setting the prototype.
  (value) => (isObject(value) ? { ['__proto__']: { x: 1 }, ...value } : value),
  (value) => (isObject(value) ? { ...value, constructor: { prototype: {} } } : value),
]

export const valueDamage: fc.Arbitrary<(value: unknown) => unknown> = fc
  .tuple(fc.constantFrom(...valueDamages), fc.nat())
  .map(
    ([damage, at]) =>
      (value) =>
        damage(value, at),
  )

/** Numbers and characters that JavaScript values cannot express. */
const textDamages: readonly ((text: string, at: number) => string)[] = [
  (text) => text.replace(/:("[^"]*"|\d+)/, ':1e400'),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':-0'),
  (text) => text.replace(/:("[^"]*"|\d+)/, `:${'9'.repeat(400)}`),
  (text) => text.replace(/:("[^"]*"|\d+)/, ':NaN'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace(/\}$/, ',}'),
  (text) => text.replace(/^\{("(?:[^"\\]|\\.)*"):/, '{$1:null,$1:'),
  (text, at) => text.slice(0, at % Math.max(1, text.length)),
  (text) => `${text}${text}`,
  (text) => `${text}\u0000`,
  (text) => `${'['.repeat(20_000)}${text}`,
  () => '',
  () => ' ',
  () => '""',
  () => '0',
  (text) => `${text}${' '.repeat(Math.max(0, 65_536 - Buffer.byteLength(text)))}`,
  (text) => `${text}${' '.repeat(Math.max(0, 65_537 - Buffer.byteLength(text)))}`,
  (text) => text.padEnd(200_000, ' '),
]

/** Turns the text to send into bytes, so that its encoding can be wrong too. */
export const byteDamage: fc.Arbitrary<(text: string) => Buffer> = fc.oneof(
  fc.tuple(fc.constantFrom(...textDamages), fc.nat()).map(
    ([damage, at]) =>
      (text: string) =>
        Buffer.from(damage(text, at)),
  ),
  fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([at, byte]) => (text: string) => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) bytes[at % bytes.length] = byte
    return bytes
  }),
  fc.constantFrom<BufferEncoding>('utf16le', 'latin1').map((encoding) => (text: string) => Buffer.from(text, encoding)),
)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function without(value: Record<string, unknown>, at: number): Record<string, unknown> {
  const names = Object.keys(value)
  const gone = names[at % Math.max(1, names.length)]
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== gone))
}

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Changes a value in one place. The value itself and everything inside it count as places. */
function changeAt(value: unknown, at: number, change: (inner: unknown) => unknown): unknown {
  const count = placesIn(value)
  let left = at % count
  const walk = (inner: unknown): unknown => {
    if (left === 0) {
      left -= 1
      return change(inner)
    }
    left -= 1
    if (Array.isArray(inner)) return inner.map(walk)
    if (isObject(inner)) return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, walk(each)]))
    return inner
  }
  return walk(value)
}

function placesIn(value: unknown): number {
  const inside = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return inside.reduce((sum: number, each) => sum + placesIn(each), 1)
}
