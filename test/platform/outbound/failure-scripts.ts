import type { UpstreamFailureKind } from '../../../src/platform/kernel/upstream-failure.ts'
import { json, type Script } from './scripted-server.ts'

/** A bad response that any HTTP API can send, or no response at all. */
interface BadResponse {
  name: string
  /** The failure kind that outbound HTTP reports. */
  kind: UpstreamFailureKind
  script: Script
  /** The value of the response's `Retry-After` header; absent if it has none. */
  retryAfterSeconds?: number
}

/** Valid JSON in which every field of every upstream's response has the wrong type. */
const wrongTypes = JSON.stringify({
  ...{ products: [{ productId: 7 }], available: 'yes', maxDownloadMbps: '900', dates: 'soon' },
  ...{ code: 2_000, result: 7, header: { totalresults: '2' }, results: {} },
  ...{ keys: 'none', access_token: 7, token_type: 'Bearer', expires_in: 'an hour' },
  ...{ id: 7, object: 'setup_intent', customer: 7, status: 3, client_secret: 4 },
})

export const badResponses: readonly BadResponse[] = [
  { name: 'headers that never arrive', kind: 'timeout', script: () => undefined },
  {
    name: 'a body that stalls',
    kind: 'timeout',
    script: (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":['),
  },
  { name: 'an endless body', kind: 'too-large', script: writing(' '.repeat(32_768), 1) },
  {
    name: '429 with Retry-After',
    kind: 'status',
    script: json('{}', 429, { 'retry-after': '30' }),
    retryAfterSeconds: 30,
  },
  { name: 'status 500', kind: 'status', script: json('{"message":"Server Error"}', 500) },
  {
    name: 'HTML instead of JSON',
    kind: 'not-json',
    script: json('<!doctype html><title>Sorry</title>', 200, { 'content-type': 'text/html' }),
  },
  { name: 'truncated JSON', kind: 'not-json', script: json('{"code":2000,"result":[{"productId":"fibre-1') },
  { name: 'wrong types', kind: 'wrong-shape', script: json(wrongTypes) },
  { name: 'a redirect', kind: 'redirect', script: json('{}', 302, { location: '/elsewhere' }) },
  { name: 'an endless body sent slowly', kind: 'timeout', script: writing(' ', 30) },
  { name: 'status 503', kind: 'status', script: json('{}', 503) },
  {
    name: 'a connection dropped before the response',
    kind: 'unreachable',
    script: (request) => request.socket.destroy(),
  },
  {
    name: 'a connection dropped during the response',
    kind: 'dropped',
    script: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '90' })
      response.write('{"products":[', () => response.destroy())
    },
  },
]

/** Writes the text again and again, but never faster than the client reads, until the client disconnects. */
function writing(text: string, everyMs: number): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => {
      if (response.writableNeedDrain) return
      response.write(text)
    }, everyMs)
    response.on('close', () => clearInterval(timer))
  }
}
