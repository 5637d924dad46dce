/** The part of JSON Schema that the API document uses. */
export interface Schema {
  type?: string | readonly string[]
  title?: string
  description?: string
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

/** The schema without null, and whether null is allowed. Keeps the description, even if it is outside `anyOf`. */
export function withoutNull(schema: Schema): { plain: Schema; isNullable: boolean } {
  if (typeof schema.type === 'object') {
    const values = schema.enum === undefined ? {} : { enum: schema.enum.filter((value) => value !== null) }
    const [type = ''] = schema.type.filter((each) => each !== 'null')
    return { plain: { ...schema, ...values, type }, isNullable: true }
  }
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only === undefined || others.length > 0) return { plain: schema, isNullable: false }
  const { anyOf, ...beside } = schema
  return { plain: { ...only, ...beside }, isNullable: anyOf !== undefined && anyOf.length > 1 }
}

/** One field, by its dotted path; `[]` stands for each entry of a list. */
export interface Field {
  path: string
  schema: Schema
  isRequired: boolean
}

/** A group of fields. If `form` is set, they occur only in the alternative form of that name; otherwise, they always occur. */
export interface FieldGroup {
  form: string | undefined
  fields: Field[]
}

/** Every field of a schema, with nested fields after their parent. Alternative forms follow as separate groups. */
export function fieldGroups(schema: Schema): FieldGroup[] {
  const groups: FieldGroup[] = [{ form: undefined, fields: [] }]
  collect(schema, '', groups, groups[0]?.fields ?? [])
  return groups.filter(({ fields }) => fields.length > 0)
}

function collect(schema: Schema, path: string, groups: FieldGroup[], into: Field[]): void {
  const { plain } = withoutNull(schema)
  if (plain.items !== undefined) collect(plain.items, `${path}[]`, groups, into)
  for (const [index, form] of (plain.anyOf ?? plain.oneOf ?? []).entries()) {
    const fields: Field[] = []
    groups.push({ form: nameOf(form, path) ?? `Form ${index + 1}`, fields })
    collect(form, path, groups, fields)
  }
  const required = new Set(plain.required)
  for (const [name, property] of Object.entries(plain.properties ?? {})) {
    const fieldPath = path === '' ? name : `${path}.${name}`
    into.push({ path: fieldPath, schema: property, isRequired: required.has(name) })
    collect(property, fieldPath, groups, into)
  }
}

/** The title of an alternative form or, failing that, the value of the field that identifies the form. */
function nameOf({ title, properties }: Schema, path: string): string | undefined {
  if (title !== undefined) return title
  const [telling] = Object.entries(properties ?? {}).filter(([, property]) => property.enum?.length === 1)
  if (telling === undefined) return undefined
  const [name, property] = telling
  return `Where ${path === '' ? name : `${path}.${name}`} is ${property.enum?.[0]}`
}
