import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'

/** Hidden members of a schema: TypeBox copies them with the schema, and validators and JSON do not see them. */
const nameKey = '~name'
const documentedKey = '~documented'

const schemasByName = new Map<string, TSchema>()

/**
 * Names a schema. The API document then defines it once, under this name, and generated clients call its type by it:
 * names are part of the contract. Throws if another schema has the name.
 */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  if (schemasByName.has(name)) throw new Error(`two schemas have the name ${name}`)
  schemasByName.set(name, schema)
  return hide(schema, nameKey, name)
}

/** The schema's name in the API document and the schema it was given to; undefined for an unnamed schema. */
export function nameOf(schema: object): { name: string; original: TSchema } | undefined {
  const name = (schema as Record<string, string | undefined>)[nameKey]
  const original = name === undefined ? undefined : schemasByName.get(name)
  return name === undefined || original === undefined ? undefined : { name, original }
}

/**
 * A schema whose violations need an error code of their own: `checked` validates requests and `documented`, which is
 * stricter, is what the API document shows. The operation itself must reject the difference.
 */
export function documentedAs<Schema extends TSchema>(checked: Schema, documented: TSchema): Schema {
  return hide(checked, documentedKey, documented)
}

/** The schema that the API document shows for this one. */
export function documentedSchema(schema: object): object {
  return (schema as Record<string, object | undefined>)[documentedKey] ?? schema
}

/** A named object in a response. It is open: clients must ignore members they do not know, so that we can add some. */
export function ResponseObject<Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
): TObject<Fields> {
  return named(name, Type.Object(fields, { description }))
}

/** A named object in a request body. It is closed: an unknown member is an error, because it may be a misspelt one. */
export function RequestObject<Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
  options: { title?: string; minProperties?: number } = {},
): TObject<Fields> {
  return named(name, Type.Object(fields, { description, additionalProperties: false, ...options }))
}

/**
 * One of several texts. The schema states the type as well, so that a number is a wrong type (400) and not an invalid
 * value (422).
 */
export function Choice<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description })
}

/** A choice that the API document defines once, under this name. */
export function NamedChoice<const Values extends readonly string[]>(name: string, values: Values, description: string) {
  return named(name, Choice(values, description))
}

/** The same schema with another description, which says what this use of it means. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema
  return Object.assign(copy, { description })
}

/** The schema's values, or null. The description must say when the value is null. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: readonly string[]; description?: string }
  const original = nameOf(schema)?.original
  if (original !== undefined)
    return Type.Unsafe<Static<Schema> | null>({ anyOf: [original, { type: 'null' }], description: rest.description })
  const nulls = values === undefined ? {} : { enum: [...values, null] }
  return Type.Unsafe<Static<Schema> | null>({ type: [type, 'null'], ...nulls, ...rest })
}

function hide<Schema extends TSchema>(schema: Schema, key: string, value: unknown): Schema {
  return Object.defineProperty(schema, key, { value, enumerable: false, configurable: true, writable: true })
}
