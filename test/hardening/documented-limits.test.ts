import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyLimitBytes } from '../../src/http/plugins/body.ts'
import { defaultServerLimits } from '../../src/http/server-limits.ts'
import { readSource } from '../structure/tree.ts'

const { headerBytes, headerFields, queryParameters, headersMs, requestMs, idleMs, stalledMs, ...counts } =
  defaultServerLimits
const figure = (count: number) => count.toLocaleString('en-GB')
const seconds = (ms: number) => `${ms / 1000} s`

/** What a service limits where nobody tells it otherwise; the other tests of limits make them shorter. */
const limits: [what: string, text: string][] = [
  ['first line and headers', `${figure(headerBytes)} bytes, ${figure(headerFields)} fields`],
  ['query parameters', figure(queryParameters)],
  ['body', `${figure(bodyLimitBytes)} bytes`],
  ['JSON', '1,000 values, 20 levels'],
  ['headers in full', seconds(headersMs)],
  ['body in full', seconds(requestMs)],
  ['no byte either way', seconds(stalledMs)],
  ['idle between requests', seconds(idleMs)],
  ['requests on one connection', figure(counts.requestsPerConnection)],
  ['connections', figure(counts.connections)],
]

test('a limit of connections and requests, where nothing else is said, is the one that docs/configuration.md tells', () => {
  const { text } = readSource('docs/configuration.md')
  const section = text.slice(text.indexOf('## Limits of connections and requests'))
  const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, what = '', limit = '']) => [what, limit])
  for (const [what, limit] of limits) {
    const told = rows.find(([name = '']) => name.startsWith(what))
    assert.ok(told?.[1]?.startsWith(limit), `${what}: ${limit}, told: ${told?.[1]}`)
  }
})

test('every time limit, where nothing else is said, is one, and headers have less time than the whole request', () => {
  for (const [name, limit] of Object.entries(defaultServerLimits)) assert.ok(limit > 0, name)
  assert.ok(headersMs < requestMs && requestMs < stalledMs)
})
