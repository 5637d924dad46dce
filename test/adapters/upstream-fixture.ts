import assert from 'node:assert/strict'
import { after, afterEach, beforeEach } from 'node:test'
import Type from 'typebox'
import type { UpstreamLimits } from '../../src/adapters/outbound-http/limits.ts'
import { createUpstream, type Upstream, type UpstreamOptions } from '../../src/adapters/outbound-http/upstream.ts'
import { UpstreamFailure } from '../../src/kernel/upstream-failure.ts'
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.ts'

export const answers = { 200: Type.Object({ speed: Type.Integer() }) }
export const good = json('{"speed":150,"extra":true}')

/** Times no machine, however busy, takes for what is at hand: a test that waits for one says which. */
const patient: Partial<UpstreamLimits> = {
  connectMs: 10_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  attemptMs: 20_000,
  deadlineMs: 30_000,
  maxBytes: 1_000,
  retries: 0,
  maxPauseMs: 40,
}

/** A way out to the scripted server, or to where the options say, that waits long unless its limits say otherwise. */
type Connect = (limits?: Partial<UpstreamLimits>, options?: Partial<UpstreamOptions>) => Upstream

/** A server that answers well until told otherwise, and ways out to it that are closed after each test. */
export async function scriptedUpstream(): Promise<{ server: ScriptedServer; connect: Connect }> {
  const server = await startScriptedServer(good)
  const open: Upstream[] = []
  beforeEach(() => {
    server.requests.length = 0
    server.answerWith(good)
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

/** How the call failed; the test fails where it did not. */
export async function failureOf(work: Promise<unknown>): Promise<UpstreamFailure> {
  const outcome = await work.catch((error: unknown) => error)
  assert.ok(outcome instanceof UpstreamFailure, `expected an UpstreamFailure, got ${String(outcome)}`)
  return outcome
}
