import type { TSchema } from 'typebox'
import type { Caller } from '../partners/caller.ts'
import type { Route } from '../platform/http/route.ts'
import { bodyValidator, type PartValidator, rejectInvalidFields } from '../platform/http/validation.ts'

const validators = new WeakMap<TSchema, PartValidator>()

/**
 * What was entered in a form, checked by the schema and the rules of the API's own operation. Throws its `validation_failed`
 * with a pointer for each field.
 */
export function checkedBody<Body extends object>(
  { body: schema, refine }: Pick<Route, 'body' | 'refine'>,
  body: Body,
  { caller, deps }: { caller: Pick<Caller, 'now'>; deps: Parameters<NonNullable<Route['refine']>>[2] },
): Body {
  if (schema === undefined) throw new Error('the operation takes no body')
  const check = validators.get(schema) ?? bodyValidator(schema)
  validators.set(schema, check)
  rejectInvalidFields(check(body), refine?.(body, caller, deps) ?? [])
  return body
}
