/** The parts of JSON Schema that the API document uses. */
export interface Schema {
  type?: string | readonly string[]
  $ref?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: readonly string[]
  description?: string
}

/** Writes a schema as a TypeScript type, with objects indented from `depth`. Throws for unsupported schemas. */
export function renderType(schema: Schema, depth: number): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return alternatives.map((each) => renderType(each, depth)).join(' | ')
  if (typeof schema.type === 'object')
    return schema.type.map((type) => renderType({ ...schema, type }, depth)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return renderArray(renderType(schema.items ?? {}, depth))
    case 'object':
      return renderObject(schema, depth)
    default:
      throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  }
}

function renderArray(item: string): string {
  return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`
}

function renderObject(schema: Schema, depth: number): string {
  const { properties, patternProperties = {}, additionalProperties, required = [] } = schema
  const [anyValue] = [additionalProperties, ...Object.values(patternProperties)].filter(
    (each) => typeof each === 'object',
  )
  if (anyValue !== undefined) return `Record<string, ${renderType(anyValue, depth)}>`
  const members = Object.entries(properties ?? {})
  if (members.length === 0) return 'Record<never, never>'
  const margin = '  '.repeat(depth + 1)
  const lines = members.map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `${margin}/** ${schema.description} */\n`
    // With exactOptionalPropertyTypes, this lets callers pass undefined for an unset filter.
    const [mark, missing] = required.includes(name) ? [':', ''] : ['?:', ' | undefined']
    return `${comment}${margin}${name}${mark} ${renderType(schema, depth + 1)}${missing}\n`
  })
  return `{\n${lines.join('')}${'  '.repeat(depth)}}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
