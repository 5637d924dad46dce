import fc from 'fast-check'
import type { JsonSchema } from './document.ts'
import { knownValues } from './known-values.ts'
import { textFor } from './odd-text.ts'

/**
 * Values with the shape that a schema describes: right types, known fields only, lengths and sizes up to their limits.
 * Some texts only resemble the format that they should have. `name` is the field's name; if meaningful values are known
 * for it, they are used too.
 */
export function fittingValue(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const known = knownValues(name, schema.enum)
  const made = madeFrom(schema, name)
  // The known values for the name of a list are meant for its entries, not for the list itself.
  if (known === undefined || schema.type === 'array') return made
  const { minimum = -Infinity, maximum = Infinity } = schema
  const fitting = known.filter((value) =>
    typeof value === 'number'
      ? schema.type !== 'string' && value >= minimum && value <= maximum
      : typeof value !== 'string' || schema.type !== 'integer',
  )
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: made })
}

function madeFrom(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  const forms = schema.oneOf ?? schema.anyOf
  if (forms !== undefined) return fc.oneof(...forms.map((each) => fittingValue(each, name)))
  const { type } = schema
  if (Array.isArray(type)) return fc.oneof(...type.map((each: string) => fittingValue({ ...schema, type: each }, name)))
  switch (type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return listOf(schema, name)
    case 'string':
      return textFor(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      throw new Error(
        `no value can be generated for the schema ${JSON.stringify(schema)}: add its keyword to test/fuzz`,
      )
  }
}

function objectOf({ properties = {}, required = [], minProperties = 0 }: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fittingValue(schema, name)]),
  )
  return fc
    .record(fields, { requiredKeys: [...required], noNullPrototype: true })
    .filter((value) => Object.keys(value).length >= minProperties)
}

function listOf(
  { items = {}, minItems = 0, maxItems = 12, uniqueItems = false }: JsonSchema,
  name: string,
): fc.Arbitrary<unknown> {
  const entry = fittingValue(items, name)
  const arrayOf = (length: { minLength: number; maxLength: number }): fc.Arbitrary<unknown> =>
    uniqueItems ? fc.uniqueArray(entry, length) : fc.array(entry, length)
  return fc.oneof(
    { weight: 6, arbitrary: arrayOf({ minLength: minItems, maxLength: Math.min(maxItems, 3) }) },
    // A list of a thousand households would take longer to make than all else.
    { weight: 1, arbitrary: arrayOf({ minLength: Math.min(maxItems, 100), maxLength: Math.min(maxItems, 100) }) },
  )
}

function numberOf({ type, minimum = 0, maximum = 1_000_000 }: JsonSchema): fc.Arbitrary<number> {
  const within = [minimum, maximum, 0, -0, 1].filter((each) => each >= minimum && each <= maximum)
  return fc.oneof(
    fc.constantFrom(...within),
    type === 'integer'
      ? fc.integer({ min: minimum, max: maximum })
      : fc.double({ min: minimum, max: maximum, noNaN: true }),
  )
}
