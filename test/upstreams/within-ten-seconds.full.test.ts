import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckResult } from '../broadband/breakable-upstreams.ts'
import { refused, succeeded } from '../support/answers.ts'
import type { Answer, Partner } from '../support/client.ts'
import { finalise, findHome, startHousehold } from '../support/household.ts'
import { watchBreakers } from './outage.ts'
import { startSurroundedService } from './surrounded-service.ts'

/**
 * The longest a partner waits (docs/api-behaviour.md#availability-checks), with an operator's limits; all waits run
 * side by side.
 */
const tenSeconds = 10_000

const breakers = watchBreakers()
const { upstreams, askers, neighbour, stop } = await startSurroundedService('os-places', breakers.log, {})
after(stop)
const [{ partner } = assert.fail('no partner')] = askers
const postcode = 'NR2 2AA'

test('a processor that lets the first try of every call run out and is slow with the second: the calls of one operation share their time', async () => {
  const processor = upstreams.find(({ seen }) => seen.name === 'payment-processor') ?? assert.fail('no processor')
  const products = ['fibre-150']
  const { tenants } = await startHousehold(partner, { postcode: 'NR2 3AA', packages: ['broadband'], products })
  const [customerId = assert.fail('no tenant')] = tenants
  succeeded(await finalise(partner, customerId))

  const begun = new Set<unknown>()
  processor.server.answerWith(async (request, response) => {
    const key = request.headers['idempotency-key']
    if (begun.has(key)) await sleep(1_500).then(() => processor.well(request, response))
    begun.add(key)
  })
  const waited = startWaiting()
  const answer = await partner.post(`/Customers/${customerId}/create-setup-intent`)
  const took = waited()
  processor.server.answerWith(processor.well)
  refused(answer, 503, 'service_unavailable')
  assert.equal(begun.size, 2, 'both calls were begun')
  assert.ok(took > 5_000 && took < tenSeconds, `${took} ms`)
  assert.match(succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId, /^seti_/)
})

test('upstreams that take every call and never answer: whatever needs them is answered within ten seconds, all else as ever', async () => {
  const products = ['fibre-150']
  const household = await startHousehold(partner, { postcode, packages: ['broadband'], products })
  const { addressUid } = household
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  // More checks at once than an upstream is asked at once.
  const crowd = await Promise.all(
    upstreams.flatMap((upstream) =>
      Array.from({ length: upstream.seen.name === 'home-telecom' ? 40 : 1 }, async () => {
        const question = await upstream.seen.newQuestion({ clientId: neighbour.clientId, partner })
        return { upstream, question }
      }),
    ),
  )
  const calm = Math.max(...(await Promise.all([slowestOf(neighbour.partner), slowestOf(partner)])))
  // The key set may be read again.
  breakers.passSeconds(31)

  for (const { server } of upstreams) server.answerWith(() => undefined)
  const waited = startWaiting()
  const [answers, slowest, added, dates] = await Promise.all([
    Promise.all(crowd.map(async ({ upstream, question }) => ({ upstream, answer: await question() }))),
    Promise.all([slowestOf(neighbour.partner), slowestOf(partner)]),
    partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: products }),
    partner.get(`/Quotes/${household.quoteId}/get-bb-install-dates`),
  ])
  const took = waited()
  // What a call takes without any upstream, on this machine at this moment, is no part of the wait.
  assert.ok(took > 3_000 && took - Math.max(...slowest) < tenSeconds, `${took} ms`)
  // One that waited for an upstream would wait for four seconds.
  for (const ms of slowest) assert.ok(ms < 3_500 + calm, `${ms} ms for what asks no upstream, ${calm} before`)
  for (const { upstream, answer } of answers) {
    if (isCheck(answer)) assert.deepEqual(outcomeOf(answer), [true, true, false])
    else upstream.seen.assertFailed(answer, { kind: 'timeout' })
  }
  assert.equal(succeeded(added).status, 'BroadbandAdded')
  assert.equal(succeeded(dates).availableDates.length, 20)
})

function isCheck(answer: Answer): answer is Answer<CheckResult> {
  return answer.status === 200 && answer.text.includes('"homeTelecomError"')
}

function outcomeOf(answer: Answer<CheckResult>): unknown {
  const check = succeeded(answer)
  return [check.homeTelecomError, check.broadbandDatabaseError, check.available]
}

/** Gives the milliseconds since, without those in which this process, the service in it, was not let run. */
function startWaiting(): () => number {
  const everyMs = 20
  const startedAt = performance.now()
  let lastAt = startedAt
  let stoodStillMs = 0
  const ticking = setInterval(() => {
    const now = performance.now()
    if (now - lastAt > 10 * everyMs) stoodStillMs += now - lastAt - everyMs
    lastAt = now
  }, everyMs)
  return () => {
    clearInterval(ticking)
    return performance.now() - startedAt - stoodStillMs
  }
}

/** The longest of a few operations that ask nobody, in milliseconds. */
async function slowestOf(by: Partner): Promise<number> {
  let slowest = 0
  const timed = async <Result>(work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now()
    const result = await work
    slowest = Math.max(slowest, performance.now() - startedAt)
    return result
  }
  const addressUid = await timed(findHome(by, postcode))
  const { quoteId } = succeeded(await timed(by.post('/Quotes', { addressUid, packages: ['broadband'] })))
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  succeeded(await timed(by.post(`/Quotes/${quoteId}/add-tenants`, { tenants })))
  succeeded(await timed(by.get(`/Quotes/${quoteId}/total-cost`)))
  return slowest
}
