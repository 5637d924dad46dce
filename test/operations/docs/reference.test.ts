import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { routes } from '../../../src/http/routes/table.ts'
import { call } from '../../support/client.ts'
import { openApiDocument } from '../../support/openapi-responses.ts'
import { rejected } from '../../support/responses.ts'
import { shareTestService } from '../../support/shared-service.ts'
import { headingLevels, linksIn, textsOnPage, unescapeHtml } from './page-text.ts'

const service = await shareTestService()

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

interface Operation {
  operationId: string
  summary: string
  'x-scope'?: string
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { 'x-error-codes'?: string[]; content?: Record<string, { schema: Schema }> }>
}

const paths = openApiDocument.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const messages = Object.entries(openApiDocument.webhooks as unknown as Record<string, { post: Operation }>)

/** The dotted paths of all fields. */
function fieldsOf({ properties = {}, items, anyOf = [] }: Schema, path = ''): string[] {
  const nested = Object.entries(properties).flatMap(([name, property]) => {
    const own = path === '' ? name : `${path}.${name}`
    return [own, ...fieldsOf(property, own)]
  })
  const ofEach = items === undefined ? [] : fieldsOf(items, `${path}[]`)
  return [...nested, ...ofEach, ...anyOf.flatMap((form) => fieldsOf(form, path))]
}

async function pageAt(path: string): Promise<string> {
  const answer = await fetch(`${service.baseUrl}${path}`)
  assert.equal(answer.status, 200, path)
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  return answer.text()
}

for (const { method, path, operation } of operations) {
  test(`the page of ${operation.operationId} names its path, scope, parameters, fields and error codes`, async () => {
    const page = await pageAt(`/docs/operations/${operation.operationId}`)
    const words = textsOnPage(page)
    const bodies = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema)
    const answers = Object.values(operation.responses['200']?.content ?? {}).map(({ schema }) => schema)
    for (const word of [
      operation.summary,
      method,
      path,
      ...(operation['x-scope'] === undefined ? [] : [operation['x-scope']]),
      ...(operation.parameters ?? []).map(({ name }) => name),
      ...[...bodies, ...answers].flatMap((schema) => fieldsOf(schema)),
    ])
      assert.ok(words.has(word), word)
    const codes = Object.values(operation.responses).flatMap((response) => response['x-error-codes'] ?? [])
    assert.deepEqual(
      linksIn(page).filter((href) => href.startsWith('/docs/errors/')),
      codes.map((code) => `/docs/errors/${code}`),
    )
    for (const status of Object.keys(operation.responses))
      assert.ok(words.has(status) || page.includes(`Status ${status} `), status)
    assert.ok(linksIn(await pageAt('/docs')).includes(`/docs/operations/${operation.operationId}`))
  })
}

test('every error response of an operation lists its codes in the API document', () => {
  const ids = new Set(routes.map(({ operationId }) => operationId))
  const ofTable = operations.filter(({ operation }) => ids.has(operation.operationId))
  assert.equal(ofTable.length, routes.length)
  for (const { operation } of ofTable)
    for (const [status, response] of Object.entries(operation.responses))
      if (status !== '200') assert.ok(response['x-error-codes']?.length, `${operation.operationId} ${status}`)
})

const ajv = new Ajv2020({ strict: false, validateFormats: false })

test('the example call of every operation has a valid body and every required parameter', async () => {
  for (const { method, path, operation } of operations) {
    const page = unescapeHtml(await pageAt(`/docs/operations/${operation.operationId}`))
    const [, example = ''] = /<h2>Example call<\/h2><pre tabindex="0"><code>(.*?)<\/code>/s.exec(page) ?? []
    assert.match(example, /^curl -s /, operation.operationId)
    if (!['GET', 'POST'].includes(method)) assert.ok(example.includes(`-X ${method} `), example)
    assert.equal(example.includes('Bearer $TOKEN'), operation['x-scope'] !== undefined)
    assert.doesNotMatch(example, /[{}](id|uid)|undefined/, path)
    const schema = operation.requestBody?.content['application/json']?.schema
    const [, body] = /-d '(.*)'/s.exec(example) ?? []
    assert.equal(body !== undefined, schema !== undefined, operation.operationId)
    if (schema === undefined || body === undefined) continue
    const validate = ajv.compile(schema)
    assert.ok(validate(JSON.parse(body)), `${operation.operationId}: ${body} ${ajv.errorsText(validate.errors)}`)
  }
})

for (const [type, { post }] of messages) {
  test(`the page of ${type} names its headers, fields and receiver responses, and shows the example`, async () => {
    const page = await pageAt(`/docs/events/${type}`)
    const words = textsOnPage(page)
    const { schema = {}, example } = post.requestBody?.content['application/json'] ?? {}
    const names = [...(post.parameters ?? []).map(({ name }) => name), ...Object.keys(post.responses)]
    for (const word of [type, post.summary, ...names, ...fieldsOf(schema)]) assert.ok(words.has(word), word)
    assert.ok(words.has(JSON.stringify(example, null, 2)))
    assert.ok(linksIn(await pageAt('/docs')).includes(`/docs/events/${type}`))
  })
}

test('unknown documentation pages of every kind return 404, like any other unknown path', async () => {
  for (const path of [
    '/docs/operations',
    '/docs/operations/nothing',
    '/docs/operations/createquote',
    '/docs/operations/__proto__',
    '/docs/operations/createQuote/more',
    '/docs/events/nothing',
    '/docs/guides/nothing',
    '/docs/guides/configuration',
    '/docs/guides/webhooks.md',
    '/docs/guides/..%2f..%2fpackage.json',
  ])
    rejected(await call(service.baseUrl, 'GET', path), 404, 'not_found')
})

test('a reference page of any kind runs no scripts, loads nothing and has its headings in order', async () => {
  for (const path of [
    '/docs',
    '/docs/operations/finalisePersonalInformation',
    '/docs/events/quote.status.changed',
    '/docs/guides/webhooks',
    '/docs/errors',
    '/docs/errors/not_found',
  ]) {
    const answer = await fetch(`${service.baseUrl}${path}`)
    assert.equal(
      answer.headers.get('content-security-policy'),
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    const page = await answer.text()
    assert.doesNotMatch(page, /<script|<link|<img|\sstyle=|\son\w+=/)
    const levels = headingLevels(page)
    assert.deepEqual([levels[0], levels.filter((level) => level === 1).length], [1, 1], path)
    for (const [index, level] of levels.entries()) assert.ok(level <= (levels[index - 1] ?? 1) + 1, `${path} ${levels}`)
    assert.match(page, /<title>[^<]+ · Housebill<\/title>/)
    assert.doesNotMatch(page, /<th(?![^>]*scope=)[ >]/)
    for (const [nav] of page.matchAll(/<nav[^>]*>/g)) assert.match(nav, /aria-label="[^"]+"/)
  }
})
