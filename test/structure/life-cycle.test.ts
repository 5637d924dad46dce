import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOperations } from '../../src/http/routes/docs/operation-links.ts'
import { openApiDocument } from '../support/openapi-responses.ts'
import { readSource } from './tree.ts'

test('the guide and its drawing name every status of a quote, and the guide a call that leads there', () => {
  const statuses: string[] = JSON.parse(readSource('openapi/partner-api.json').text).components.schemas.QuoteStatus.enum
  const { text } = readSource('docs/concepts.md')
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+ [^`]+)`/gm)]
  assert.deepEqual(
    rows.map(([, status = '']) => status),
    statuses,
  )
  const paths = listOperations(openApiDocument).map(
    ({ method, path }) => `${method} ${path.replace('/partner-api', '')}`,
  )
  for (const [, , call = ''] of rows) assert.ok(paths.includes(call), call)
  const drawing = readSource('docs/quote-life-cycle.svg').text
  for (const status of statuses) assert.ok(drawing.includes(`>${status}<`), status)
})
