import type { Schema } from '../type-of-schema.ts'

/** An operation of the API document, with what a client needs to call it. */
export interface DescribedOperation {
  operationId: string
  group: string
  method: string
  /** The path with `{name}` for each id. */
  path: string
  summary: string
  description: string
  /** The ids in the path, in their order, by their names for people, such as `quoteId`. */
  ids: readonly string[]
  query: readonly QueryParameter[]
  body: { schema: Schema; isRequired: boolean; example: unknown } | undefined
  response: Schema
  responseExample: unknown
  /** The operation needs no token. */
  isPublic: boolean
  /** The operation accepts an Idempotency-Key. */
  takesKey: boolean
  /** The codes of 422 that belong to this operation, without those that every operation has. */
  errorCodes: readonly string[]
}

interface QueryParameter {
  name: string
  required?: boolean
  description?: string
  schema: Schema
}

/** The parts of the API document that the clients are generated from. */
export interface ClientSource {
  version: string
  schemas: Readonly<Record<string, Schema>>
  operations: readonly DescribedOperation[]
  /** The schema of each message that webhooks receive. */
  messages: readonly Schema[]
}

interface MediaType {
  schema: Schema
  example?: unknown
}

interface Written {
  operationId: string
  tags: readonly [string]
  summary: string
  description: string
  security: readonly object[]
  parameters?: readonly (QueryParameter & { in: string })[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, { content?: Record<string, MediaType>; 'x-error-codes'?: readonly string[] }>
}

interface ApiDocument {
  info: { version: string }
  paths: Record<string, Record<string, Written>>
  webhooks: Record<string, { post: { requestBody: { content: Record<string, MediaType> } } }>
  components: { schemas: Record<string, Schema> }
}

/** Codes that every operation with a body or a key can return. */
const ofEveryOperation = ['validation_failed', 'idempotency_key_reused']

/**
 * Reads the operations and schemas of the API document. Throws if an operation takes or returns something other than
 * JSON.
 */
export function readClientSource(document: unknown): ClientSource {
  const { info, paths, webhooks, components } = document as ApiDocument
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, written]) => readOperation(path, method, written)),
  )
  return {
    version: info.version,
    schemas: components.schemas,
    operations,
    messages: Object.values(webhooks).map(({ post }) => jsonOf('a webhook message', post.requestBody.content).schema),
  }
}

function readOperation(path: string, method: string, written: Written): DescribedOperation {
  const { operationId, tags, summary, description, security, parameters = [], requestBody, responses } = written
  const { content = {} } = responses['200'] ?? {}
  const response = jsonOf(operationId, content)
  const body = requestBody === undefined ? undefined : jsonOf(operationId, requestBody.content)
  return {
    operationId,
    group: tags[0],
    method: method.toUpperCase(),
    path,
    summary,
    description,
    ids: parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, description = '' }, index) => (index === 0 && /^\w+$/.test(description) ? description : name)),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body: body && { schema: body.schema, isRequired: requestBody?.required === true, example: body.example },
    response: response.schema,
    responseExample: response.example,
    // An empty requirement allows a call without credentials.
    isPublic: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    errorCodes: (responses['422']?.['x-error-codes'] ?? []).filter((code) => !ofEveryOperation.includes(code)),
  }
}

function jsonOf(where: string, content: Record<string, MediaType>): MediaType {
  const json = content['application/json']
  if (json === undefined) throw new Error(`${where} has no JSON`)
  return json
}

/** The name of a schema that is a reference. Throws for any other schema. */
export function nameOfSchema({ $ref = '' }: Schema): string {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec($ref) ?? []
  if (name === undefined) throw new Error(`${JSON.stringify($ref)} names no schema`)
  return name
}

/** The name of the type of an operation's query. */
export function queryTypeName({ operationId }: DescribedOperation): string {
  return `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
}

/** The schema of an operation's query; undefined if it has none. */
export function querySchema({ query }: DescribedOperation): Schema | undefined {
  if (query.length === 0) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description = '' }) => [name, { ...schema, description }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** Whether the operation returns one page of a list, whose next page `cursor` reads. */
export function isPaged({ query }: DescribedOperation): boolean {
  return query.some(({ name }) => name === 'cursor')
}

/** The generated files' first line. */
export const generatedBy =
  'Generated by `npm run generate` from openapi/partner-api.json. Change the API, not this file.'
