import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes } from '../../src/app/http/error-responses.ts'
import { openApiDocument, operatorApiDocument, validatorOf } from '../support/openapi-responses.ts'

interface MediaType {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Content = Record<string, MediaType>

interface Described {
  operationId: string
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

const { paths, webhooks } = openApiDocument as unknown as Record<string, Record<string, Record<string, Described>>>
const operations = [paths, webhooks, operatorApiDocument.paths as unknown as typeof paths].flatMap((group) =>
  Object.values(group ?? {}).flatMap((byMethod) => Object.values(byMethod)),
)

/** The places in an operation that have examples: its body and each of its responses. */
function placesOf({ operationId, requestBody, responses }: Described): [place: string, content: Content][] {
  const answers = Object.entries(responses).map(([status, { content = {} }]): [string, Content] => [
    `${operationId} ${status}`,
    content,
  ])
  return [[`${operationId} request`, requestBody?.content ?? {}], ...answers]
}

const places = operations
  .flatMap(placesOf)
  .flatMap(([place, content]) =>
    Object.entries(content).map(([mediaType, described]) => ({ place: `${place} ${mediaType}`, ...described })),
  )

test('every request body, response and webhook message of the API document has an example', () => {
  const without = places.filter(({ example, examples }) => example === undefined && examples === undefined)
  assert.deepEqual(
    without.map(({ place }) => place),
    [],
  )
})

test('every example of the API document has exactly the members and values that its schema allows', () => {
  for (const { place, schema, example, examples = {} } of places) {
    const validate = validatorOf(schema)
    for (const value of [example, ...Object.values(examples).map((each) => each.value)]) {
      if (value === undefined) continue
      assert.ok(validate(value), `${place}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`)
    }
  }
})

test('every error response has an example for each of its codes', () => {
  const shown = new Set<string>()
  for (const { responses } of operations) {
    for (const response of Object.values(responses) as { 'x-error-codes'?: string[]; content?: Content }[]) {
      const { examples = {} } = response.content?.['application/problem+json'] ?? {}
      assert.deepEqual(Object.keys(examples), response['x-error-codes'] ?? [])
      for (const code of Object.keys(examples)) shown.add(code)
    }
  }
  assert.deepEqual([...shown].sort(), errorCodes.filter((code) => code !== 'method_not_allowed').sort())
})
