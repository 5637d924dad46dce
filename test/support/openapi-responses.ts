import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { buildOpenApiDocument } from '../../src/app/openapi/document.ts'
import { operatorApiErrors } from '../../src/app/openapi/problem.schema.ts'
import { buildOperatorDocument } from '../../src/back-office/http/operator-api.ts'
import { defaultWebhookRetrySeconds } from '../../src/platform/config/config.ts'
import type { OpenApiDocument } from '../../src/platform/openapi/document.ts'

const server = {
  publicUrl: 'http://localhost:8080',
  realm: 'sandbox',
  webhookRetrySeconds: defaultWebhookRetrySeconds,
} as const

const asJson = (document: object) => JSON.parse(JSON.stringify(document))

/** The API documents as a server publishes them. */
export const published = {
  partner: asJson(buildOpenApiDocument(routes, server)),
  operator: asJson(buildOperatorDocument(operatorRoutes, { ...server, errors: operatorApiErrors })),
}

/**
 * The published API document without references and with closed objects: clients must accept members they do not know,
 * but a test must not. Every response in every test is checked against it.
 */
export const openApiDocument = dereference(closed(published.partner), closed(published.partner) as object) as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: MessageOperation }>
}

const operatorDocument = closed(published.operator) as object

/** The published document of the operator API, in the same form. */
export const operatorApiDocument = dereference(operatorDocument, operatorDocument) as typeof openApiDocument

/** The documents by the names under which the validator knows them. */
const documents = {
  document: openApiDocument,
  operator: operatorApiDocument,
} as const

/** A copy of a document in which every object schema with properties allows no others. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, closed(member)]))
  return 'properties' in part && 'type' in part ? { additionalProperties: false, ...copy } : copy
}

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface MessageOperation extends Operation {
  parameters: { name: string; in: string }[]
  requestBody: {
    content: Record<string, { schema: { properties: { data: { properties: object } } }; example: unknown }>
  }
}

/** The parts of a response that are checked. */
interface ApiResponse {
  status: number
  headers: Headers
  body: unknown
  text: string
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
for (const format of ['idn-email', 'phone', 'single-line', 'ip', 'int32', 'int64']) ajv.addFormat(format, true)

/** The document's operations by the length and the first two segments of their path. */
const templates = Map.groupBy(
  Object.values(documents)
    .flatMap(({ paths }) => Object.entries(paths))
    .map(([path, operations]) => ({
      operations,
      path,
      isTemplate: path.includes('{'),
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
    }))
    .sort((a, b) => Number(a.isTemplate) - Number(b.isTemplate)),
  ({ path }) => beginningOf(path),
)

function beginningOf(path: string): string {
  const segments = path.toLowerCase().split('/')
  return `${segments.length} ${segments[1]}/${segments[2]}`
}

const validators = new WeakMap<object, ValidateFunction>()
const validatorsByText = new Map<string, ValidateFunction>()

/**
 * The validator of a schema without references. Each schema is compiled once: all errors have the same, and many
 * operations return a quote.
 */
export function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const validate = validatorsByText.get(text) ?? ajv.compile(schema)
  validatorsByText.set(text, validate)
  validators.set(schema, validate)
  return validate
}

/** Fails unless a webhook message has exactly the members that the `webhooks` section of a document describes. */
export function checkMessage(message: { type: string; data: object }): void {
  const { type, data } = message
  const name = type in openApiDocument.webhooks ? 'document' : 'operator'
  const documented = documents[name].webhooks[type]?.post.requestBody.content['application/json']?.schema
  assert.ok(documented !== undefined, `no document has a message ${type}`)
  const validate = validatorOf(documented)
  const text = JSON.stringify(message)
  assert.ok(validate(message), `${type} is not as documented: ${ajv.errorsText(validate.errors)}\n${text}`)
  assert.deepEqual(Object.keys(data), Object.keys(documented.properties.data.properties), text)
  const members = Object.keys(message).filter((name) => name !== 'test')
  assert.deepEqual(members, ['id', 'type', 'timestamp', 'data'], text)
}

/**
 * Fails unless the document allows this response for the operation and status. Ignores paths that are not in the
 * document.
 */
export function checkResponse(method: string, path: string, actual: ApiResponse): void {
  const withoutQuery = path.split('?', 1)[0] ?? path
  const template = templates.get(beginningOf(withoutQuery))?.find(({ pattern }) => pattern.test(withoutQuery))
  const operation = template?.operations[method.toLowerCase()]
  if (template === undefined || operation === undefined) return
  const response = operation.responses[String(actual.status)]
  assert.ok(
    response,
    `${operation.operationId} returned ${actual.status}, which is not in the document: ${actual.text}`,
  )
  const mediaType = (actual.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const schema = response.content?.[mediaType]?.schema
  assert.ok(schema, `${operation.operationId} ${actual.status} has the undocumented media type ${mediaType}`)
  const validate = validatorOf(schema)
  assert.ok(
    validate(mediaType.endsWith('json') && mediaType !== 'application/x-ndjson' ? actual.body : actual.text),
    `${operation.operationId} ${actual.status} is not as documented: ${ajv.errorsText(validate.errors)}\n${actual.text}`,
  )
}

/**
 * A copy of a part of a document in which every reference is replaced by its target. Members beside a reference, such
 * as a description, win. Our documents have no cycles. Throws for a reference without a target.
 */
export function dereference(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((entry) => dereference(entry, document))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...beside } = part as { $ref?: unknown }
  const members = Object.entries(beside).map(([name, member]) => [name, dereference(member, document)])
  const own = Object.fromEntries(members)
  return typeof $ref === 'string' ? { ...(dereference(targetOf($ref, document), document) as object), ...own } : own
}

function targetOf(reference: string, document: object): unknown {
  const names = reference.replace(/^#\//, '').split('/')
  const target = names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  if (target === undefined) throw new Error(`${reference} has no target`)
  return target
}

/** The messages that webhooks receive, in the order of the document, and where the reference shows each. */
export function listMessages(document: OpenApiDocument): { type: string; href: string }[] {
  return Object.keys(document.webhooks as object).map((type) => ({
    type,
    href: `/docs/reference#tag/webhooks/webhook/POST/${type}`,
  }))
}
