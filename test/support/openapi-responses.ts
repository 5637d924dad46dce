import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { defaultWebhookRetrySeconds } from '../../src/config/config.ts'
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts'
import { routes } from '../../src/http/routes/table.ts'

/** The document as a client would read it; every answer given in any test is held against it. */
export const openApiDocument = JSON.parse(
  JSON.stringify(
    buildOpenApiDocument(routes, {
      publicUrl: 'http://localhost:8080',
      realm: 'sandbox',
      webhookRetrySeconds: defaultWebhookRetrySeconds,
    }),
  ),
) as {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: MessageOperation }>
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

/** As much of an answer as is checked. */
interface ApiResponse {
  status: number
  headers: Headers
  body: unknown
  text: string
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
for (const format of ['idn-email', 'phone', 'single-line', 'ip', 'int32', 'int64']) ajv.addFormat(format, true)
ajv.addSchema(openApiDocument, 'document')

const templates = Object.keys(openApiDocument.paths)
  .map((path) => ({
    path,
    isTemplate: path.includes('{'),
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
  }))
  .sort((a, b) => Number(a.isTemplate) - Number(b.isTemplate))
const validators = new Map<string, ValidateFunction>()

/** Fails where a message to a receiver is not as the document's `webhooks` have it: its members, all of them and no others. */
export function checkMessage(message: { type: string; data: object }): void {
  const { type, data } = message
  const documented = openApiDocument.webhooks[type]?.post.requestBody.content['application/json']?.schema
  assert.ok(documented !== undefined, `the document knows no message ${type}`)
  const reference = `document#/webhooks/${encodeURIComponent(type)}/post/requestBody/content/application~1json/schema`
  const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
  validators.set(reference, validate)
  const text = JSON.stringify(message)
  assert.ok(validate(message), `${type} is not as documented: ${ajv.errorsText(validate.errors)}\n${text}`)
  assert.deepEqual(Object.keys(data), Object.keys(documented.properties.data.properties), text)
  const members = Object.keys(message).filter((name) => name !== 'test')
  assert.deepEqual(members, ['id', 'type', 'timestamp', 'data'], text)
}

/** Fails where the answer is not one the document allows for this operation and status. Paths it does not know pass. */
export function checkResponse(method: string, path: string, answer: ApiResponse): void {
  const withoutQuery = path.split('?', 1)[0] ?? path
  const template = templates.find(({ pattern }) => pattern.test(withoutQuery))
  const operation = template === undefined ? undefined : openApiDocument.paths[template.path]?.[method.toLowerCase()]
  if (template === undefined || operation === undefined) return
  const response = operation.responses[String(answer.status)]
  assert.ok(
    response,
    `${operation.operationId} answered ${answer.status}, which the document does not name: ${answer.text}`,
  )
  const mediaType = (answer.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  assert.ok(response.content?.[mediaType], `${operation.operationId} ${answer.status} came as ${mediaType}`)
  const pointer = [
    template.path,
    method.toLowerCase(),
    'responses',
    String(answer.status),
    'content',
    mediaType,
    'schema',
  ]
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')
  const reference = `document#/paths/${pointer}`
  const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
  validators.set(reference, validate)
  assert.ok(
    validate(answer.body),
    `${operation.operationId} ${answer.status} is not as documented: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
  )
}
