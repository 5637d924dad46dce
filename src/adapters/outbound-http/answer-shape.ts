import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { isIsoDate } from '../../kernel/dates.ts'

/** The answers a caller can use: for each such status, what its body looks like. */
export type AnswerShapes = Readonly<Record<number, TSchema>>

/** An answer whose status was expected and whose body has the shape asked for. */
export type ShapedAnswer<Shapes extends AnswerShapes> = {
  [Status in keyof Shapes & number]: { status: Status; body: Static<Shapes[Status]> }
}[keyof Shapes & number]

const ajv = new Ajv({ strict: true })
/** A string that is a day of the calendar, `YYYY-MM-DD`. */
ajv.addFormat('calendar-day', isIsoDate)
/** An array of objects no two of which have the same value in this field. */
ajv.addKeyword({
  keyword: 'distinctBy',
  type: 'array',
  schemaType: 'string',
  validate: (field: string, items: Record<string, unknown>[]) =>
    new Set(items.map((item) => item[field])).size === items.length,
})
const compiled = new WeakMap<TSchema, ValidateFunction>()

/**
 * What is wrong with a body, or undefined where it fits. Names the place and the rule, never the value, which may be
 * somebody's data.
 */
export function shapeFault(shape: TSchema, body: unknown): string | undefined {
  let validate = compiled.get(shape)
  if (validate === undefined) {
    validate = ajv.compile(shape)
    compiled.set(shape, validate)
  }
  if (validate(body)) return undefined
  const fault = validate.errors?.[0]
  return `${fault?.instancePath || 'the body'} ${fault?.message ?? 'does not fit'}`
}
