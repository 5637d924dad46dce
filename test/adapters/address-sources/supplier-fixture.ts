import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, afterEach, beforeEach } from 'node:test'
import type { UpstreamLimits } from '../../../src/adapters/outbound-http/limits.ts'
import { createUpstream, type Upstream, type UpstreamLog } from '../../../src/adapters/outbound-http/upstream.ts'
import type { AddressSupplier } from '../../../src/domain/addresses/address-supplier.ts'
import { json, startScriptedServer } from '../scripted-server.ts'
import { failureOf } from '../upstream-fixture.ts'

export type Script = (request: IncomingMessage, response: ServerResponse) => void

/** Quick, and without repetitions unless a test wants them. */
const quick: Partial<UpstreamLimits> = {
  connectMs: 300,
  headersMs: 300,
  bodyMs: 300,
  attemptMs: 500,
  deadlineMs: 1_000,
  maxPauseMs: 40,
  retries: 0,
  maxBytes: 1024 * 1024,
}

export interface SupplierFixture {
  answerWith(script: Script): void
  /** Path and query of everything the supplier was asked. */
  asked(): URL[]
  requests: IncomingMessage[]
  supplier(limits?: Partial<UpstreamLimits>): AddressSupplier
  /** Everything the way out wrote into the log. */
  logged(): string
}

/** A local server in the place of a supplier's API, and the supplier's adapter over the guarded way to it. */
export async function supplierFixture(
  name: string,
  create: (upstream: Upstream) => AddressSupplier,
  first: Script,
): Promise<SupplierFixture> {
  const server = await startScriptedServer(first)
  const open: Upstream[] = []
  let lines: unknown[] = []
  const log: UpstreamLog = {
    warn: (...line) => lines.push(line),
    info: (...line) => lines.push(line),
  }
  beforeEach(() => {
    lines = []
    server.requests.length = 0
    server.answerWith(first)
  })
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))
  after(() => server.close())
  return {
    answerWith: server.answerWith,
    requests: server.requests,
    asked: () => server.requests.map(({ url = '' }) => new URL(url, server.baseUrl)),
    supplier(limits = {}) {
      const upstream = createUpstream({ name, baseUrl: server.baseUrl, limits: { ...quick, ...limits }, log })
      open.push(upstream)
      return create(upstream)
    },
    logged: () => JSON.stringify(lines),
  }
}

/** Ways in which any HTTP API can break, and the kind of failure each is. */
export const breakages: readonly [string, Script, string][] = [
  ['status 500', json('{"message":"Server Error"}', 500), 'status'],
  ['HTML in place of JSON', (_, response) => response.setHeader('content-type', 'text/html').end('<p>hi'), 'not-json'],
  ['JSON that ends in the middle', json('{"code":2000,"result":['), 'not-json'],
  ['JSON of another shape', json('{"result":"none"}'), 'wrong-shape'],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'redirect'],
  ['headers that never come', () => undefined, 'timeout'],
  [
    'a body that stops',
    (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    'timeout',
  ],
  ['a connection that ends', (request) => request.socket.destroy(), 'unreachable'],
  ['a body without end', endless, 'too-large'],
]

function endless(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = ' '.repeat(64 * 1024)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', write)
  }
  write()
}

/** The failure of a lookup, which tells nobody the key or the postcode. */
export async function failureOfLookup(fixture: SupplierFixture, key: string, postcode: string) {
  const failure = await failureOf(fixture.supplier().listHomes(postcode))
  const told = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)} ${fixture.logged()}`
  for (const secret of [key, postcode, encodeURIComponent(postcode)]) assert.ok(!told.includes(secret), told)
  return failure
}
