import type { UpstreamFailureKind } from '../../src/kernel/upstream-failure.ts'
import { json, type Script, type SecureScriptedServer } from './scripted-server.ts'

/** A way in which any HTTP API can answer badly, or not at all. */
export interface BadAnswer {
  name: string
  /** What the guarded way out calls it. */
  kind: UpstreamFailureKind
  script: Script
  /** What it says in `Retry-After`. */
  retryAfterSeconds?: number
}

/** Any way in which an upstream can fail, connections that do not come about included. */
export interface Failure {
  name: string
  kind: UpstreamFailureKind
  retryAfterSeconds?: number
  /** True where no request gets through to it. */
  asksNothing?: true
  begin(server: SecureScriptedServer): Promise<void>
  /** Ends the failure; what is answered from then on is for whoever ends it to say. */
  end(server: SecureScriptedServer): Promise<void>
}

/** Valid JSON in which everything that any upstream's answer holds has the wrong type. */
const wrongTypes = JSON.stringify({
  ...{ products: [{ productId: 7 }], available: 'yes', maxDownloadMbps: '900', dates: 'soon' },
  ...{ code: 2_000, result: 7, header: { totalresults: '2' }, results: {} },
  ...{ keys: 'none', access_token: 7, token_type: 'Bearer', expires_in: 'an hour' },
  ...{ id: 7, object: 'setup_intent', customer: 7, status: 3, client_secret: 4 },
})

const requiredAnswers: readonly BadAnswer[] = [
  { name: 'headers that do not come', kind: 'timeout', script: () => undefined },
  {
    name: 'a body that stops',
    kind: 'timeout',
    script: (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":['),
  },
  { name: 'a body that floods without end', kind: 'too-large', script: writing(' '.repeat(32_768), 1) },
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
]

/** Of the same kinds, for those who are asked most. */
const furtherAnswers: readonly BadAnswer[] = [
  { name: 'a body that trickles without end', kind: 'timeout', script: writing(' ', 30) },
  { name: 'status 503', kind: 'status', script: json('{}', 503) },
  {
    name: 'a connection dropped before the answer',
    kind: 'unreachable',
    script: (request) => request.socket.destroy(),
  },
  {
    name: 'a connection dropped inside the answer',
    kind: 'dropped',
    script: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '90' })
      response.write('{"products":[', () => response.destroy())
    },
  },
]

export const badAnswers = [...requiredAnswers, ...furtherAnswers]

const brokenConnections: readonly Failure[] = [
  {
    name: 'a refused connection',
    kind: 'unreachable',
    asksNothing: true,
    begin: (server) => server.hangUp('refuse'),
    end: (server) => server.listenAgain(),
  },
  {
    name: 'a name that does not resolve',
    kind: 'unreachable',
    asksNothing: true,
    begin: (server) => {
      server.setKnown(false)
      return server.hangUp()
    },
    end: async (server) => server.setKnown(true),
  },
  {
    name: 'a certificate nobody vouches for',
    kind: 'unreachable',
    asksNothing: true,
    begin: (server) => {
      server.setTrusted(false)
      return server.hangUp()
    },
    end: async (server) => server.setTrusted(true),
  },
]

/** Every kind of failure there is. */
export const failures: readonly Failure[] = [...brokenConnections, ...requiredAnswers.map(asFailure)]
/** Other ways of failing in one of these kinds. */
export const furtherFailures: readonly Failure[] = furtherAnswers.map(asFailure)

function asFailure({ script, ...failure }: BadAnswer): Failure {
  return { ...failure, begin: async (server) => server.answerWith(script), end: () => Promise.resolve() }
}

/** Writes again and again, as fast as it is read, until the other side hangs up. */
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
