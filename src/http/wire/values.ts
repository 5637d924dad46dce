import Type from 'typebox'
import { serviceNames } from '../../domain/packages/services.ts'
import { requireInstant } from '../../kernel/instant.ts'

/** Wire types shared by several resources. Every type has a limit, so that clients know how much a response can contain. */

/** Text in a response. */
export const Text = (maxLength: number, description?: string, further: { pattern?: string } = {}) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }), ...further })
/** Whole pence, well within the integers a JSON number can represent exactly. */
export const wholePence = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64', description })
export const Pence = wholePence('Whole pence, including VAT.')
/** A whole number within its limits. */
export const WholeNumber = <
  Options extends { minimum: number; maximum: number; description?: string; default?: number },
>(
  options: Options,
) => Type.Integer({ ...options, format: 'int32' })
/** A count that no rule limits. */
export const Count = (description: string) => WholeNumber({ minimum: 0, maximum: 2_147_483_647, description })
/** The cursor of the next page; null at the end of the list. */
export const NextCursor = Type.Union([Text(200), Type.Null()])
/** An opaque id, from us or from an upstream: visible ASCII. */
export const Id = (description?: string) => Text(255, description, { pattern: '^[\\x21-\\x7e]+$' })
export const DateOnly = Type.String({
  format: 'date',
  maxLength: 10,
  description: 'A calendar day in the Europe/London time zone, as YYYY-MM-DD.',
})
export const Timestamp = Type.String({
  format: 'date-time',
  maxLength: 35,
  description: 'An ISO 8601 timestamp in UTC.',
})
export const CreatedAfter = Type.String({
  format: 'date-time',
  maxLength: 35,
  description: 'Return items created at or after this time, such as 2026-11-20T09:00:00Z.',
})
export const CreatedBefore = Type.String({
  format: 'date-time',
  maxLength: 35,
  description: 'Return items created before this time, such as 2026-11-21T09:00:00Z.',
})
export const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, format: 'single-line', description })
export const Email = Type.String({ format: 'idn-email', maxLength: 254 })
export const Phone = Type.String({
  format: 'phone',
  maxLength: 40,
  description: 'A phone number in UK national or international format. Stored in E.164 format.',
})
/** The schema states the type as well as the values, so that a number is a wrong type (400) and not an invalid value (422). */
export const ServiceName = Type.Enum(serviceNames(), { type: 'string' })

/** A list of 1 to 10 ids (by default), each exactly as the API returned it. */
export const IdList = (description: string, maxItems = 10) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems, description })

/** The instant of an optional, validated parameter. */
export function parseOptionalInstant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : requireInstant(text)
}

/** An instant in the format of every response. */
export function timestamp(instant: Date): string {
  return instant.toISOString()
}
