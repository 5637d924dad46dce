import Type, { type Static, type TObject } from 'typebox'
import { requireInstant } from '../../kernel/instant.ts'
import { trimmedKeyword } from '../validation.ts'
import { documentedAs, Nullable } from './named.ts'

/**
 * Wire types shared by several resources. Every type has a limit, so that clients know how much a response can contain.
 */

/** Text in a response. */
export const Text = (maxLength: number, description: string, further: { pattern?: string; minLength?: number } = {}) =>
  Type.String({ maxLength, description, ...further })
/** Whole pence, well within the integers a JSON number can represent exactly. */
export const Pence = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64', description })
/** A whole number within its limits. */
export const WholeNumber = <
  Options extends { minimum: number; maximum: number; description: string; default?: number },
>(
  options: Options,
) => Type.Integer({ ...options, format: 'int32' })
/** A count that no rule limits. */
export const Count = (description: string) => WholeNumber({ minimum: 0, maximum: 2_147_483_647, description })
export const Flag = (description: string) => Type.Boolean({ description })
/** The cursor of the next page; null at the end of the list. */
export const NextCursor = Nullable(
  Text(200, 'Send this as `cursor` to get the next page; null if this is the last page.'),
)
/** An opaque id, from us or from an upstream: visible ASCII. */
export const Id = (description: string) => Text(255, description, { pattern: '^[\\x21-\\x7e]+$' })
/** A client id may contain spaces (RFC 6749, appendix A.1), as those of an external identity provider can. */
export const ClientId = Text(255, 'The client id.', { pattern: '^[\\x20-\\x7e]+$' })
/** An id in a request, exactly as the API returned it. Any text is checked by the operation, which knows all ids. */
export const GivenId = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })
export const DateOnly = (description: string) =>
  Type.String({
    format: 'date',
    maxLength: 10,
    description: `${description} YYYY-MM-DD, in the Europe/London time zone.`,
  })
export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 35, description: `${description} ISO 8601, in UTC.` })
/** A timestamp in a request: any time zone. */
export const GivenTimestamp = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 35, description: `${description} ISO 8601, with a time zone.` })
export const CreatedAfter = GivenTimestamp('Return items created at or after this time, such as 2026-11-20T09:00:00Z.')
export const CreatedBefore = GivenTimestamp('Return items created before this time, such as 2026-11-21T09:00:00Z.')
/**
 * The name of a partner or a program in a request. The document keeps to the format that generated clients
 * know; the description says the rest.
 */
export const Name = (description: string) =>
  nameOf('name', `${description} Needs at least one visible letter or digit.`)
/** The name of a person in a request. */
export const PersonName = (description: string) =>
  nameOf('person-name', `${description} Needs at least one visible letter or digit, and no web or e-mail address.`)
/** A last name in a request. */
export const LastName = (description: string) =>
  nameOf(
    'last-name',
    `${description} Needs at least one visible letter or digit, and no web or e-mail address. For a person with one name only, send \`-\`: documents print the first name alone.`,
  )
function nameOf(format: string, description: string) {
  const name = (as: string) => Type.String({ minLength: 1, maxLength: 100, format: as, description })
  return documentedAs(name(format), name('single-line'))
}
export const Email = (description: string) =>
  Type.String({ format: 'idn-email', maxLength: 254, description, [trimmedKeyword]: true })
export const Phone = (description: string) =>
  Type.String({
    format: 'phone',
    maxLength: 40,
    description: `${description} UK national or international format; stored in E.164 format.`,
  })

/** A list of 1 to 10 ids (by default), each exactly as the API returned it. */
export const IdList = (description: string, maxItems = 10) =>
  Type.Array(GivenId('An id.'), { minItems: 1, maxItems, description })

/** The instant of an optional, validated parameter. */
export function parseOptionalInstant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : requireInstant(text)
}

/** An instant in the format of every response. */
export function timestamp(instant: Date): string {
  return instant.toISOString()
}

/** A value that has the members of a response object: times as instants, and lists that nobody may change. */
type Presentable<Value> = {
  readonly [Key in keyof Value]: string extends Exclude<Value[Key], null | undefined>
    ? Value[Key] | Date
    : Exclude<Value[Key], null | undefined> extends readonly (infer Item)[]
      ? readonly Item[] | Extract<Value[Key], null | undefined>
      : Value[Key]
}

/** The members of a response object from a value that may have more of them, which are left out. */
export function presentAs<Schema extends TObject>(
  { properties }: Schema,
  value: Presentable<Static<Schema>>,
): Static<Schema> {
  const fields: Record<string, unknown> = {}
  for (const name in properties) {
    const field: unknown = value[name as keyof typeof value]
    if (field !== undefined) fields[name] = field instanceof Date ? timestamp(field) : field
  }
  return fields as Static<Schema>
}
