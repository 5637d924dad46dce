import { Ajv, type ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'
import { isIsoDate } from '../../kernel/dates.ts'

/** One problem in JSON. `pointer` is a JSON pointer to its place; absent if the problem concerns the whole value. */
export interface JsonProblem {
  pointer?: string
  detail: string
}

// Only our own schemas, which need no check against the schema of schemas: compiling that one takes 50 ms.
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, validateSchema: false })
ajv.addFormat('date', { type: 'string', validate: isIsoDate })

/** What is wrong with a value that somebody wrote by hand, against its schema; empty if it is right. */
export function jsonProblems(value: unknown, schema: TSchema): JsonProblem[] {
  const validate = ajv.compile(schema)
  return validate(value) ? [] : (validate.errors ?? []).map(problemOf)
}

/** Describes a schema error. For a missing or unknown field, the pointer says where the field is or should be. */
function problemOf({ keyword, instancePath, params, message }: ErrorObject): JsonProblem {
  const at = (pointer: string, detail: string) => (pointer === '' ? { detail } : { pointer, detail })
  if (keyword === 'required') return at(pointerTo(instancePath, params.missingProperty), 'is missing')
  if (keyword === 'additionalProperties') {
    return at(pointerTo(instancePath, params.additionalProperty), 'is not a field of this file')
  }
  if (keyword === 'enum') return at(instancePath, `must be one of ${params.allowedValues.join(', ')}`)
  return at(instancePath, message ?? 'is invalid')
}

function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
