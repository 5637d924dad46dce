import assert from 'node:assert/strict'
import { after, afterEach, beforeEach } from 'node:test'
import Type from 'typebox'
import { UpstreamFailure } from '../../../src/platform/kernel/upstream-failure.ts'
import type { UpstreamLimits } from '../../../src/platform/outbound/guard.ts'
import { createUpstream, type Upstream, type UpstreamOptions } from '../../../src/platform/outbound/upstream.ts'
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.ts'

export const responseSchemas = { 200: Type.Object({ speed: Type.Integer() }) }
export const goodResponse = json('{"speed":150,"extra":true}')

/** Limits that no call reaches even on a busy machine. A test of a limit sets a lower one. */
const patient: Partial<UpstreamLimits> = {
  attemptMs: 20_000,
  deadlineMs: 30_000,
  maxBytes: 1_000,
  retries: 0,
}

/**
 * Creates an upstream that calls the scripted server and has long limits, unless `limits` or `options` say otherwise.
 */
type Connect = (limits?: Partial<UpstreamLimits>, options?: Partial<UpstreamOptions>) => Upstream

/**
 * Starts a server that responds correctly until its script changes. The upstreams that `connect` creates for it are
 * closed after each test.
 */
export async function startScriptedUpstream(): Promise<{ server: ScriptedServer; connect: Connect }> {
  const server = await startScriptedServer(goodResponse)
  const open: Upstream[] = []
  beforeEach(() => {
    server.requests.length = 0
    server.respondWith(goodResponse)
  })
  afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))
  after(() => server.close())
  return {
    server,
    connect(limits = {}, options = {}) {
      const made = createUpstream({
        name: 'telecom',
        baseUrl: server.baseUrl,
        limits: { ...patient, ...limits },
        ...options,
      })
      open.push(made)
      return made
    },
  }
}

/** Returns the failure of a call; fails the test if the call succeeded. */
export async function failureOf(work: Promise<unknown>): Promise<UpstreamFailure> {
  const outcome = await work.catch((error: unknown) => error)
  assert.ok(outcome instanceof UpstreamFailure, `expected an UpstreamFailure, got ${String(outcome)}`)
  return outcome
}
