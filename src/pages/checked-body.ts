import type { Static, TSchema } from 'typebox'
import type { Caller } from '../partners/caller.ts'
import type { RefineBody } from '../platform/http/route.ts'
import { bodyValidator, type PartValidator, rejectInvalidFields } from '../platform/http/validation.ts'
import type { ErrorCode } from '../platform/kernel/errors.ts'
import type { Problem } from './form.ts'

/** An operation with the schema of its body: a partner's or the operator's. */
interface TakesBody<Body extends TSchema> {
  body: Body | undefined
  refine?: RefineBody | undefined
  errors: readonly ErrorCode[]
}

/** Where something can be in a value, as a JSON pointer. */
export type PointerIn<Value> = Value extends string | number | boolean | null | undefined
  ? never
  : Value extends readonly (infer Item)[]
    ? `/${number}` | `/${number}${PointerIn<Item>}`
    : { [Key in keyof Value & string]-?: `/${Key}` | `/${Key}${PointerIn<Value[Key]>}` }[keyof Value & string]

/**
 * What a page says of the errors of an operation, by the place in its body: words, for the field that has the place's
 * name, or a field with its words. A pointer that the body cannot have does not compile.
 */
export function problemsIn<Body extends TSchema, const Given extends Readonly<Record<string, string | Problem>>>(
  _operation: TakesBody<Body>,
  problems: Given & { [Pointer in Exclude<keyof Given, PointerIn<Static<Body>>>]: never },
): Readonly<Record<string, Problem>> {
  return Object.fromEntries(
    Object.entries<string | Problem>(problems).map(([pointer, problem]) => [
      pointer,
      typeof problem === 'string' ? { field: pointer.slice(pointer.lastIndexOf('/') + 1), text: problem } : problem,
    ]),
  )
}

/**
 * The fields of a page for the errors of an operation, in the errors' own words. Each has the name of its place in the
 * body; a pointer that the body cannot have does not compile.
 */
export function fieldsIn<Body extends TSchema>(
  _operation: TakesBody<Body>,
  pointers: readonly PointerIn<Static<Body>>[],
): Readonly<Record<string, { field: string }>> {
  return Object.fromEntries(
    pointers.map((pointer) => [pointer, { field: pointer.slice(pointer.lastIndexOf('/') + 1) }]),
  )
}

const validators = new WeakMap<TSchema, PartValidator>()

/**
 * What was entered in a form, checked by the schema and the rules of the API's own operation. Throws its
 * `validation_failed` with a pointer for each field. A body that lacks what the operation requires does not compile.
 */
export function checkedBody<Body extends TSchema, Given extends Static<Body>>(
  { body: schema, refine, errors }: TakesBody<Body>,
  body: Given,
  { caller, deps }: { caller: Pick<Caller, 'now'>; deps: Parameters<RefineBody>[2] },
): Given {
  if (schema === undefined) throw new Error('the operation takes no body')
  const check = validators.get(schema) ?? bodyValidator(schema)
  validators.set(schema, check)
  rejectInvalidFields(check(body), refine?.(body, caller, deps) ?? [], errors)
  return body
}
