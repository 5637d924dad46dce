import { idempotencyKeyPattern } from '../../../idempotency.ts'
import { type Schema, withoutNull } from './schema.ts'

const formats: Readonly<Record<string, string>> = {
  date: 'date, such as 2026-11-20',
  'date-time': 'time, such as 2026-11-20T09:29:10Z',
  'idn-email': 'email address',
  phone: 'phone number',
  ip: 'IP address',
  uri: 'URL',
  'single-line': 'text on one line',
}
const types: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
}
/** Formats that imply a length. */
const ofKnownLength = new Set(['date', 'date-time'])
const patterns: Readonly<Record<string, string>> = {
  '^[\\x21-\\x7e]+$': 'visible ASCII characters',
  '^[0-9]+$': 'digits',
  [idempotencyKeyPattern]: 'visible ASCII characters',
}
/** Bounds of this size or more come from the number format, not from the API's rules. */
const unbounded = 2_147_483_647
const grouped = new Intl.NumberFormat('en-GB')

/** The only values allowed; empty if there is no such list. */
export function allowedValues(schema: Schema): readonly string[] {
  return (schema.const === undefined ? (schema.enum ?? []) : [schema.const]).map(String)
}

/** A type in words, with its limits: "list of 1 to 10 entries, each: text, at most 100 characters". */
export function describeType(schema: Schema): string {
  const { plain, isNullable } = withoutNull(schema)
  const words = [nounOf(plain), ...limitsOf(plain)].join(', ')
  return isNullable ? `${words}; or null` : words
}

function nounOf({ type = '', format = '', items, anyOf, oneOf, patternProperties, ...schema }: Schema): string {
  if (items !== undefined) return listOf(items, range(schema.minItems, schema.maxItems, 'entry', 'entries'))
  if ((anyOf ?? oneOf) !== undefined) return 'object in one of the forms below'
  const [only, ...others] = allowedValues(schema)
  if (only !== undefined) return others.length === 0 ? `always ${only}` : 'one of these words'
  const [member] = Object.values(patternProperties ?? {})
  if (member !== undefined) return `object, each member: ${describeType(member)}`
  return formats[format] ?? types[String(type)] ?? 'any value'
}

function listOf(items: Schema, size: string | undefined): string {
  return `list${size === undefined ? '' : ` of ${size}`}, each: ${describeType(items)}`
}

function limitsOf({ format = '', pattern, ...schema }: Schema): string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  return [
    ofKnownLength.has(format) ? undefined : range(schema.minLength, schema.maxLength, 'character', 'characters'),
    range(schema.minimum, schema.maximum),
    pattern === undefined ? undefined : (patterns[pattern] ?? `of the form ${pattern}`),
    schema.minProperties === undefined ? undefined : `with at least ${schema.minProperties} of its members`,
  ].filter((limit) => limit !== undefined)
}

function range(from: number | undefined, to: number | undefined, one = '', many = ''): string | undefined {
  const hasEnd = to !== undefined && to < unbounded
  if (from === undefined && !hasEnd) return undefined
  const counted = (count: number) => `${grouped.format(count)} ${count === 1 ? one : many}`.trim()
  if (!hasEnd) return `${counted(from ?? 0)} or more`
  if (from === to) return `exactly ${counted(to)}`
  return from === undefined ? `at most ${counted(to)}` : `${grouped.format(from)} to ${counted(to)}`
}
