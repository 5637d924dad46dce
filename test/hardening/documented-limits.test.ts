import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyLimitBytes, defaultServerLimits } from '../../src/platform/http/server-limits.ts'
import { readSource } from '../structure/tree.ts'

const {
  headerBytes,
  headerFields,
  queryParameters,
  headersMs,
  requestMs,
  idleMs,
  strangerIdleMs,
  stalledMs,
  ...counts
} = defaultServerLimits
const figure = (count: number) => count.toLocaleString('en-GB')
const seconds = (ms: number) => `${ms / 1000} s`

/** The default limits of a service. The other tests of limits set lower ones. */
const limits: [what: string, text: string][] = [
  ['first line and headers', `${figure(headerBytes)} bytes, ${figure(headerFields)} fields`],
  ['query parameters', figure(queryParameters)],
  ['body', `${figure(bodyLimitBytes)} bytes`],
  ['JSON', '1,000 values, 20 levels'],
  ['headers in full', seconds(headersMs)],
  ['body in full', seconds(requestMs)],
  ['no byte either way', seconds(stalledMs)],
  ['idle between requests', seconds(idleMs)],
  ['without an authenticated request', seconds(strangerIdleMs)],
  ['requests on one connection', figure(counts.requestsPerConnection)],
  ['connections |', figure(counts.connections)],
  ['connections from one', figure(counts.connectionsPerSite)],
]

test('the default connection and request limits in docs/configuration.md match those in use', () => {
  const { text } = readSource('docs/configuration.md')
  const section = text.slice(text.indexOf('## Limits of connections and requests'))
  const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, what = '', limit = '']) => [what, limit])
  for (const [what, limit] of limits) {
    const documented = rows.find(([name = '']) => `${name} |`.startsWith(what))
    assert.ok(documented?.[1]?.startsWith(limit), `${what}: ${limit}, documented: ${documented?.[1]}`)
  }
})

test('every time limit is set by default, and headers get less time than the whole request', () => {
  for (const [name, limit] of Object.entries(defaultServerLimits)) assert.ok(limit > 0, name)
  assert.ok(headersMs < requestMs && requestMs < stalledMs)
})
