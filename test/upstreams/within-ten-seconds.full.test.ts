import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { defaultLimits } from '../../src/platform/outbound/guard.ts'
import type { Partner } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { finalise, findProperty, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { startServiceWithUpstreams } from './service-with-upstreams.ts'

/*
 * Partners wait ten seconds at most (docs/api-behaviour.md#availability-checks). In these tests, nothing but the time
 * limits on calls ends that wait. Each test makes the limits expire once everything else is done.
 */
const deadlineMs = 9_101
/** The combined time limit for all calls that one create-setup-intent makes. */
const processorWaitMs = 9_000

mock.timers.enable({ apis: ['Date'], now: Date.now() })
after(() => mock.timers.reset())
const limits = holdTimeouts((ms) => [defaultLimits.attemptMs, deadlineMs, processorWaitMs].includes(ms))
const { upstreams, callers, neighbour, stop } = await startServiceWithUpstreams('os-places', { deadlineMs })
after(stop)
const [{ partner } = assert.fail('no partner')] = callers
const postcode = 'NR2 2AA'

test('the time limits of one call and of all calls in an operation leave enough of the ten seconds for the rest of the response', () => {
  for (const ms of [defaultLimits.deadlineMs, processorWaitMs]) assert.ok(ms <= 9_500)
})

test('if the processor hangs on the second call of an operation, the time limit is still counted from the first call', async () => {
  const processor = upstreams.find(({ name }) => name === 'processor') ?? assert.fail('no processor')
  const products = ['fibre-150']
  const { tenants } = await startHousehold(partner, { postcode: 'NR2 3AA', packages: ['broadband'], products })
  const [customerId = assert.fail('no tenant')] = tenants
  succeeded(await finalise(partner, customerId))

  const asked = new Set<unknown>()
  processor.server.respondWith((request, response) => {
    asked.add(request.headers['idempotency-key'])
    if (asked.size === 1) return processor.healthy(request, response)
  })
  const call = partner.post(`/Customers/${customerId}/create-setup-intent`)
  await waitFor('both calls have arrived', () => asked.size === 2)
  limits.pass(processorWaitMs)
  rejected(await call, 503, 'service_unavailable')
  processor.server.respondWith(processor.healthy)
  assert.match(succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId, /^seti_/)
})

test('while upstreams accept every call but never respond, everything else keeps working, and each call ends at its time limit', async () => {
  const products = ['fibre-150']
  const household = await startHousehold(partner, { postcode, packages: ['broadband'], products })
  const { addressUid } = household
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  // The number of checks exceeds an upstream's limit on concurrent calls.
  const proven = upstreams.flatMap(({ probe, server }) => (probe === undefined ? [] : [{ probe, server }]))
  const crowd = await Promise.all(
    proven.flatMap(({ probe }) =>
      Array.from({ length: probe.name === 'home-telecom' ? 40 : 1 }, async () => {
        const request = await probe.newRequest({ clientId: neighbour.clientId, partner })
        return { probe, request }
      }),
    ),
  )
  // After this time, the service may fetch the key set again.
  mock.timers.setTime(Date.now() + 31_000)

  for (const { server } of proven) {
    server.requests.length = 0
    server.respondWith(() => undefined)
  }
  let answeredSoFar = 0
  const count = <Result>(answer: Result): Result => {
    answeredSoFar += 1
    return answer
  }
  const waiting = Promise.all([
    Promise.all(crowd.map(async ({ probe, request }) => ({ probe, answer: count(await request()) }))),
    partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: products }).then(count),
    partner.get(`/Quotes/${household.quoteId}/get-bb-install-dates`).then(count),
  ])
  for (const { server, probe } of proven) await waitFor(`${probe.name} is asked`, () => server.requests.length > 0)
  await Promise.all([workWithoutUpstreams(neighbour.partner), workWithoutUpstreams(partner)])
  assert.equal(answeredSoFar, 0)

  const [answers, added, dates] = await limits.passUntil(deadlineMs, waiting)
  for (const { probe, answer } of answers) probe.assertFailed(answer)
  assert.equal(succeeded(added).status, 'BroadbandAdded')
  // The working-day rule, from the day on which the price lets broadband start.
  const { availableDates, earliestDate } = succeeded(dates)
  assert.ok(availableDates.length > 0)
  assert.equal(availableDates[0], earliestDate)
})

/** A few operations that call no upstream. */
async function workWithoutUpstreams(by: Partner): Promise<void> {
  const addressUid = await findProperty(by, postcode)
  const { quoteId } = succeeded(await by.post('/Quotes', { addressUid, packages: ['broadband'] }))
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  succeeded(await by.post(`/Quotes/${quoteId}/add-tenants`, { tenants }))
  succeeded(await by.get(`/Quotes/${quoteId}/total-cost`))
}
