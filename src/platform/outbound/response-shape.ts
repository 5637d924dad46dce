import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { isIsoDate } from '../kernel/dates.ts'

/** The usable responses of a call: the schema of the body for each status. */
export type ResponseShapes = Readonly<Record<number, TSchema>>

/** A response with an expected status and a valid body. */
export type ShapedResponse<Shapes extends ResponseShapes> = {
  [Status in keyof Shapes & number]: { status: Status; body: Static<Shapes[Status]> }
}[keyof Shapes & number]

// Only our own schemas, which need no check against the schema of schemas: compiling that one takes 50 ms.
const ajv = new Ajv({ strict: true, validateSchema: false })
/** A calendar day, `YYYY-MM-DD`. */
ajv.addFormat('calendar-day', isIsoDate)
/** Requires the objects in an array to have different values in this field. */
ajv.addKeyword({
  keyword: 'distinctBy',
  type: 'array',
  schemaType: 'string',
  validate: (field: string, items: Record<string, unknown>[]) =>
    new Set(items.map((item) => item[field])).size === items.length,
})
const compiled = new WeakMap<TSchema, ValidateFunction>()

/**
 * Says what is wrong with a body; undefined if it is valid. Names the place and the rule, but never the value, which
 * may be personal data.
 */
export function findShapeFault(shape: TSchema, body: unknown): string | undefined {
  let validate = compiled.get(shape)
  if (validate === undefined) {
    validate = ajv.compile(shape)
    compiled.set(shape, validate)
  }
  if (validate(body)) return undefined
  const fault = validate.errors?.[0]
  return `${fault?.instancePath || 'the body'} ${fault?.message ?? 'does not fit'}`
}
