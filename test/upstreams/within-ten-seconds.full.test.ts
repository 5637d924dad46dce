import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { defaultLimits } from '../../src/adapters/outbound-http/limits.ts'
import type { CheckResult } from '../broadband/breakable-upstreams.ts'
import type { ApiResponse, Partner } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { finalise, findProperty, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { watchBreakers } from './outage.ts'
import { startSurroundedService } from './surrounded-service.ts'

/*
 * Partners wait ten seconds at most (docs/api-behaviour.md#availability-checks). The limits that operators have end the wait, and only they:
 * a test lets each pass when everything else has been done.
 */
const deadlineMs = 9_101
/** Of all calls of one create-setup-intent together. */
const processorWaitMs = 9_000

const breakers = watchBreakers()
const limits = holdTimeouts((ms) => [defaultLimits.attemptMs, deadlineMs, processorWaitMs].includes(ms))
const { upstreams, askers, neighbour, stop } = await startSurroundedService('os-places', breakers.log, {
  connectMs: 60_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  deadlineMs,
})
after(stop)
const [{ partner } = assert.fail('no partner')] = askers
const postcode = 'NR2 2AA'

test('the limit of a whole call, and that of all calls of one operation, leave time for the rest of the ten seconds', () => {
  for (const ms of [defaultLimits.deadlineMs, processorWaitMs]) assert.ok(ms <= 9_500)
})

test('a processor that hangs in the second call of an operation: the calls share one limit, which began with the first', async () => {
  const processor = upstreams.find(({ seen }) => seen.name === 'payment-processor') ?? assert.fail('no processor')
  const products = ['fibre-150']
  const { tenants } = await startHousehold(partner, { postcode: 'NR2 3AA', packages: ['broadband'], products })
  const [customerId = assert.fail('no tenant')] = tenants
  succeeded(await finalise(partner, customerId))

  const asked = new Set<unknown>()
  processor.server.answerWith((request, response) => {
    asked.add(request.headers['idempotency-key'])
    if (asked.size === 1) return processor.well(request, response)
  })
  const call = partner.post(`/Customers/${customerId}/create-setup-intent`)
  await waitFor('both calls were begun', () => asked.size === 2)
  limits.pass(processorWaitMs)
  rejected(await call, 503, 'service_unavailable')
  processor.server.answerWith(processor.well)
  assert.match(succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId, /^seti_/)
})

test('upstreams that take every call and never answer: all else works meanwhile, and the limit of a call answers whatever needs them', async () => {
  const products = ['fibre-150']
  const household = await startHousehold(partner, { postcode, packages: ['broadband'], products })
  const { addressUid } = household
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  // More checks at once than an upstream is asked at once. The processor's client has limits of its own, which pass by themselves.
  const proven = upstreams.filter(({ seen }) => seen.name !== 'payment-processor')
  const crowd = await Promise.all(
    proven.flatMap((upstream) =>
      Array.from({ length: upstream.seen.name === 'home-telecom' ? 40 : 1 }, async () => {
        const question = await upstream.seen.newQuestion({ clientId: neighbour.clientId, partner })
        return { upstream, question }
      }),
    ),
  )
  // The key set may be read again.
  breakers.passSeconds(31)

  for (const { server } of proven) {
    server.requests.length = 0
    server.answerWith(() => undefined)
  }
  let answeredSoFar = 0
  const count = <Result>(answer: Result): Result => {
    answeredSoFar += 1
    return answer
  }
  const waiting = Promise.all([
    Promise.all(crowd.map(async ({ upstream, question }) => ({ upstream, answer: count(await question()) }))),
    partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: products }).then(count),
    partner.get(`/Quotes/${household.quoteId}/get-bb-install-dates`).then(count),
  ])
  for (const { server, seen } of proven) await waitFor(`${seen.name} is asked`, () => server.requests.length > 0)
  await Promise.all([workWithoutUpstreams(neighbour.partner), workWithoutUpstreams(partner)])
  assert.equal(answeredSoFar, 0)

  const [answers, added, dates] = await limits.passUntil(deadlineMs, waiting)
  for (const { upstream, answer } of answers) {
    if (isCheck(answer)) assert.deepEqual(outcomeOf(answer), [true, true, false])
    else upstream.seen.assertFailed(answer, { kind: 'timeout' })
  }
  assert.equal(succeeded(added).status, 'BroadbandAdded')
  assert.equal(succeeded(dates).availableDates.length, 20)
})

function isCheck(answer: ApiResponse): answer is ApiResponse<CheckResult> {
  return answer.status === 200 && answer.text.includes('"homeTelecomError"')
}

function outcomeOf(answer: ApiResponse<CheckResult>): unknown {
  const check = succeeded(answer)
  return [check.homeTelecomError, check.broadbandDatabaseError, check.available]
}

/** A few operations that ask nobody. */
async function workWithoutUpstreams(by: Partner): Promise<void> {
  const addressUid = await findProperty(by, postcode)
  const { quoteId } = succeeded(await by.post('/Quotes', { addressUid, packages: ['broadband'] }))
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  succeeded(await by.post(`/Quotes/${quoteId}/add-tenants`, { tenants }))
  succeeded(await by.get(`/Quotes/${quoteId}/total-cost`))
}
