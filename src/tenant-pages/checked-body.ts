import type { TSchema } from 'typebox'
import type { Route } from '../platform/http/route.ts'
import { bodyValidator, type PartValidator, rejectInvalidFields } from '../platform/http/validation.ts'
import type { Visit } from './visit.ts'

const validators = new WeakMap<TSchema, PartValidator>()

/**
 * What a tenant entered, checked by the schema and the rules of the API's own operation. Throws its `validation_failed`
 * with a pointer for each field.
 */
export function checkedBody<Body extends object>(
  { body: schema, refine }: Pick<Route, 'body' | 'refine'>,
  body: Body,
  { caller, deps }: Pick<Visit, 'caller' | 'deps'>,
): Body {
  if (schema === undefined) throw new Error('the operation takes no body')
  const check = validators.get(schema) ?? bodyValidator(schema)
  validators.set(schema, check)
  rejectInvalidFields(check(body), refine?.(body, caller, deps) ?? [])
  return body
}
