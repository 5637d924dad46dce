import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, afterEach, beforeEach } from 'node:test'
import type { UpstreamLimits, UpstreamLog } from '../../../src/platform/outbound/guard.ts'
import { createUpstream, type Upstream } from '../../../src/platform/outbound/upstream.ts'
import type { AddressSupplier } from '../../../src/properties/address-suppliers/supplied-properties.ts'
import { type Script, startScriptedServer } from '../../platform/outbound/scripted-server.ts'
import { failureOf } from '../../platform/outbound/upstream-fixture.ts'

/** Limits that no healthy call reaches. Calls are not retried, unless a test overrides `retries`. */
const patient: Partial<UpstreamLimits> = {
  attemptMs: 60_000,
  deadlineMs: 60_000,
  retries: 0,
  maxBytes: 1024 * 1024,
}

export interface SupplierFixture {
  respondWith(script: Script): void
  /** The path and query of every request that the supplier received. */
  asked(): URL[]
  requests: IncomingMessage[]
  supplier(limits?: Partial<UpstreamLimits>): AddressSupplier
  /** Everything that outbound HTTP logged. */
  logged(): string
}

/** Starts a local server in place of a supplier's API, with the supplier's adapter connected to it. */
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
    server.respondWith(first)
  })
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))
  after(() => server.close())
  return {
    respondWith: server.respondWith,
    requests: server.requests,
    asked: () => server.requests.map(({ url = '' }) => new URL(url, server.baseUrl)),
    supplier(limits = {}) {
      const upstream = createUpstream({ name, baseUrl: server.baseUrl, limits: { ...patient, ...limits }, log })
      open.push(upstream)
      return create(upstream)
    },
    logged: () => JSON.stringify(lines),
  }
}

/** Runs a lookup that must fail, and asserts that neither the failure nor the log shows the key or the postcode. */
export async function expectLookupFailure(fixture: SupplierFixture, key: string, postcode: string) {
  const failure = await failureOf(fixture.supplier().listProperties(postcode))
  const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)} ${fixture.logged()}`
  for (const secret of [key, postcode, encodeURIComponent(postcode)]) assert.ok(!shown.includes(secret), shown)
  return failure
}
