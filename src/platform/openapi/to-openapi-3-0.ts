import type { OpenApiDocument } from './document.ts'

type Json = Record<string, unknown>

/**
 * The document in OpenAPI 3.0.3, for tools that do not read 3.1. Nullable types become `nullable: true`; a reference
 * with a description becomes `allOf`; a constant becomes an enumeration with one value. Messages to webhooks, which 3.0
 * does not have, are in `x-webhooks`. Of several forms of a request only the first is left: generators that read 3.0
 * would merge them into one.
 */
export function toOpenApi30({ info, webhooks, ...document }: OpenApiDocument): OpenApiDocument {
  const { summary: _, license, ...kept } = info as Json & { license: { name: string } }
  const url = `https://spdx.org/licenses/${license.name}.html`
  return {
    ...(convert(document) as Json),
    openapi: '3.0.3',
    info: { ...kept, license: { name: license.name, url } },
    'x-webhooks': convert(webhooks),
  }
}

function convert(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(convert)
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).map(([name, member]): [string, unknown] => [
    name,
    // Examples are data, not schemas.
    name === 'example' || name === 'value' || name === 'default' ? member : convert(member),
  ])
  return convertSchema(Object.fromEntries(members))
}

function convertSchema(schema: Json): Json {
  const { $ref, type, anyOf, oneOf, examples, ...others } = schema
  if (typeof $ref === 'string')
    return Object.keys(schema).length === 1 ? schema : { allOf: [{ $ref }], ...convertSchema(without(schema, '$ref')) }
  if (Array.isArray(type) && type.includes('null'))
    return { ...without(schema, 'type'), type: type.find((each) => each !== 'null'), nullable: true }
  if (Array.isArray(anyOf) && anyOf.some(isNull))
    return { ...without(schema, 'anyOf'), allOf: anyOf.filter((each) => !isNull(each)), nullable: true }
  if (Array.isArray(oneOf) && !('discriminator' in schema))
    return { ...without(schema, 'oneOf'), allOf: oneOf.slice(0, 1) }
  if ('const' in others) return { ...without(schema, 'const'), enum: [others.const] }
  // OpenAPI 3.0 cannot restrict the names of members.
  if ('propertyNames' in others) return without(schema, 'propertyNames')
  if (Array.isArray(examples)) return { ...without(schema, 'examples'), example: examples[0] }
  return schema
}

function isNull(schema: unknown): boolean {
  return (schema as { type?: unknown }).type === 'null'
}

function without(schema: Json, name: string): Json {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== name))
}
