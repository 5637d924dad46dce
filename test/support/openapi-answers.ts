import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts'
import { routes } from '../../src/http/routes/table.ts'

/** The document as a client would read it; every answer given in any test is held against it. */
export const openApiDocument = JSON.parse(
  JSON.stringify(buildOpenApiDocument(routes, { publicUrl: 'http://localhost:8080', realm: 'sandbox' })),
) as {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

/** As much of an answer as is checked. */
interface Answer {
  status: number
  headers: Headers
  body: unknown
  text: string
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('phone', true)
ajv.addFormat('single-line', true)
ajv.addFormat('ip', true)
ajv.addSchema(openApiDocument, 'document')

const templates = Object.keys(openApiDocument.paths)
  .map((path) => ({
    path,
    isTemplate: path.includes('{'),
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
  }))
  .sort((a, b) => Number(a.isTemplate) - Number(b.isTemplate))
const validators = new Map<string, ValidateFunction>()

/** Fails where the answer is not one the document allows for this operation and status. Paths it does not know pass. */
export function checkAnswer(method: string, path: string, answer: Answer): void {
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
