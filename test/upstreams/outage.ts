import assert from 'node:assert/strict'
import { after, mock } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import type { Failure } from '../platform/outbound/failure-scripts.ts'
import type { Script, SecureScriptedServer } from '../platform/outbound/scripted-server.ts'
import type { ApiResponse } from '../support/client.ts'
import type { HeldTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import type { FailureCause, RepeatableRequest, TestPartner, UpstreamProbe } from './upstream-probes.ts'

/**
 * One upstream: how tests use it through the API, the server that stands in for it, and that server's healthy
 * responses.
 */
export interface UpstreamUnderTest {
  probe: UpstreamProbe
  server: SecureScriptedServer
  healthy: Script
}

/**
 * The time limits of an attempt and of a whole call do not expire until `checkOutage` says so. The clock of
 * `watchBreakers` determines how long a breaker stays open. The payment processor's client has its own limits, which
 * follow from the deadline.
 */
export const outageLimits = {
  attemptMs: 8_907,
  deadlineMs: 9_007,
  maxBytes: 64 * 1024,
  retries: 0,
  failuresToOpen: 2,
  halfOpenAfterMs: 60_000,
}
/**
 * Records the circuit breakers' log lines and provides the clock for breakers, which moves only when a test moves it.
 */
export function watchBreakers() {
  const told: string[] = []
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  after(() => mock.timers.reset())
  return {
    log: createLogger('info', {
      write(line: string) {
        const { upstream, breaker, level } = JSON.parse(line)
        if (level === 'info' && breaker !== undefined) told.push(`${upstream} ${breaker}`)
      },
    }),
    passSeconds: (seconds: number) => mock.timers.setTime(Date.now() + seconds * 1_000),
    /** Waits until a line is logged that `takeLogged` has not returned yet. */
    untilLogged: () => waitFor('a line about a breaker is logged', () => told.length > 0),
    /** Returns the lines logged since the last call. */
    takeLogged: () => told.splice(0),
  }
}

export interface Outage {
  failing: UpstreamUnderTest
  others: readonly UpstreamUnderTest[]
  failure: Failure
  /** The partners that make calls during the failure: enough of them to open the breaker. */
  callers: readonly TestPartner[]
  neighbour: TestPartner
  breakers: ReturnType<typeof watchBreakers>
  limits: HeldTimeouts
}

/**
 * Makes one upstream fail in one way. Checks that every response is correct and arrives even if the upstream hangs, and
 * that nothing is left half-done. Also checks that the breaker opens, so that the next caller fails at once without a
 * call to the upstream, and that requests that rely only on other upstreams work. After the failure, checks that one
 * call probes the upstream and that the requests that failed now succeed.
 */
export async function checkOutage(outage: Outage): Promise<void> {
  const { failing, failure, callers, neighbour, breakers } = outage
  const { probe, server, healthy } = failing
  const requests = await Promise.all([...callers, neighbour].map((caller) => probe.newRequest(caller)))
  breakers.takeLogged()
  server.requests.length = 0
  await failure.begin(server)
  let proven = false
  try {
    await proveFailure(outage, requests)
    proven = true
  } finally {
    await failure.end(server)
    server.respondWith(healthy)
    breakers.passSeconds(61)
    if (!proven) await closeBreakers(outage)
  }
  for (const [index, request] of requests.entries()) {
    await probe.assertComplete(await request())
    if (index === 0) assert.deepEqual(breakers.takeLogged(), [`${probe.name} half-open`, `${probe.name} closed`])
  }
  assert.ok(!server.requests.some(({ url }) => url === '/elsewhere'), 'the redirect was followed')
}

/**
 * `requests` contains one request for each caller, then one for `neighbour`, which is sent once the breaker is open.
 */
async function proveFailure(outage: Outage, requests: readonly RepeatableRequest[]): Promise<void> {
  const { failing, others, failure, neighbour, breakers } = outage
  const { probe, server } = failing
  const [next = assert.fail('no request left'), ...first] = requests.toReversed()
  const before = await probe.snapshot()
  const answers =
    probe.sharesCalls === true
      ? await sendOneByOne(first, async (request) => {
          breakers.passSeconds(31)
          return responsesTo(outage, request())
        })
      : await responsesTo(outage, Promise.all(first.map((request) => request())))
  for (const answer of answers) probe.assertFailed(answer, causeOf(failure))
  assert.deepEqual(await probe.snapshot(), before)
  // A call that runs out of time fails at its deadline, but the breaker counts it only after its last attempt has
  // ended.
  await breakers.untilLogged()
  assert.deepEqual(breakers.takeLogged(), [`${probe.name} open`])

  if (failure.sendsNoRequest) assert.equal(server.requests.length, 0)

  await proveNotCalled(outage, next)
  await Promise.all(others.map((other) => other.probe.assertUnaffected(neighbour)))
  assert.deepEqual(breakers.takeLogged(), [])
  if (failure.name === 'status 500') await proveProbed(outage, next)
}

/**
 * Waits for the responses to the requests. If the upstream hangs, makes attempts time out, but only when all running
 * attempts hang.
 */
async function responsesTo<Result>({ failing, failure, limits }: Outage, requests: Promise<Result>): Promise<Result> {
  if (failure.kind !== 'timeout') return requests
  const { server } = failing
  let ended = server.requests.length
  let isDone = false
  const answers = requests.finally(() => {
    isDone = true
  })
  await waitFor('all requests have received responses', () => {
    const hanging = server.requests.length - ended
    if (hanging > 0 && limits.running(outageLimits.attemptMs) === hanging) {
      limits.pass(outageLimits.attemptMs)
      ended = server.requests.length
    }
    return isDone
  })
  return answers
}

/** Closes every breaker, so that one failed case does not make the following ones fail. */
async function closeBreakers({ failing, others, neighbour }: Outage): Promise<void> {
  for (const { probe } of [failing, ...others]) {
    const request = await probe.newRequest(neighbour)
    await request()
  }
}

/** Asserts that a request fails at once and that nothing is sent to the upstream. */
async function proveNotCalled(
  { failing: { probe, server }, breakers }: Outage,
  request: RepeatableRequest,
): Promise<void> {
  server.requests.length = 0
  breakers.passSeconds(10)
  probe.assertFailed(await request(), { kind: 'breaker-open' })
  assert.equal(server.requests.length, 0)
}

/**
 * Asserts that one call probes the upstream after the breaker's pause, and that all others still fail at once, as the
 * probe failed.
 */
async function proveProbed(outage: Outage, request: RepeatableRequest): Promise<void> {
  const { failing, failure, breakers } = outage
  const { probe, server } = failing
  breakers.passSeconds(61)
  probe.assertFailed(await request(), causeOf(failure))
  assert.ok(server.requests.length > 0)
  assert.deepEqual(breakers.takeLogged(), [`${probe.name} half-open`, `${probe.name} open`])
  await proveNotCalled(outage, request)
}

async function sendOneByOne(
  requests: readonly RepeatableRequest[],
  send: (request: RepeatableRequest) => Promise<ApiResponse>,
): Promise<ApiResponse[]> {
  const answers: ApiResponse[] = []
  for (const request of requests) answers.push(await send(request))
  return answers
}

function causeOf({ kind, retryAfterSeconds }: Failure): FailureCause {
  return { kind, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}
