import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { json } from '../platform/outbound/scripted-server.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService, type TestService } from '../support/service.ts'
import {
  type BreakableUpstreams,
  checkedUpstreams,
  hasDataFrom,
  healthyResponses,
  otherHalf,
  quickLimits,
  runCheck,
  startBreakableUpstreams,
  unusedProperty,
} from './breakable-upstreams.ts'

/*
 * Tests the result of a check in which an upstream fails. The tests of outbound HTTP have every kind of
 * failure.
 */

let upstreams: BreakableUpstreams
let service: TestService
let partner: Partner
before(async () => {
  upstreams = await startBreakableUpstreams()
  service = await startTestService(
    { HOME_TELECOM_URL: upstreams.homeTelecom.baseUrl, BROADBAND_DATABASE_URL: upstreams.broadbandDatabase.baseUrl },
    { upstreamLimits: quickLimits },
  )
  partner = await connectPartner(service.baseUrl, service.credentials)
})
after(async () => {
  await service.stop()
  await Promise.all(checkedUpstreams.map((half) => upstreams[half].close()))
})
afterEach(() => {
  for (const half of checkedUpstreams) upstreams[half].respondWith(healthyResponses[half])
})

for (const half of checkedUpstreams) {
  const other = otherHalf(half)
  test(`${half} fails, then recovers: the same request returns the whole result, and only the failed half is requested again`, async () => {
    const home = unusedProperty()
    upstreams[half].respondWith(json('{"products":7,"available":"yes"}'))
    const failed = await runCheck(partner, home)
    assert.deepEqual([hasDataFrom(half, failed), hasDataFrom(other, failed)], [false, true])
    for (const each of checkedUpstreams) upstreams[each].requests.length = 0
    upstreams[half].respondWith(healthyResponses[half])
    const again = await runCheck(partner, home)
    assert.deepEqual([again.uid, again.homeTelecomError, again.broadbandDatabaseError], [failed.uid, false, false])
    assert.deepEqual([hasDataFrom(half, again), hasDataFrom(other, again)], [true, true])
    assert.deepEqual([upstreams[half].requests.length, upstreams[other].requests.length], [1, 0])
  })
}

test('while the provider fails, only products from an earlier check can be added, and dates follow the working-day rule', async () => {
  const addressUid = unusedProperty()
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
  const add = () => partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: ['fibre-150'] })
  const broken = json('<html>', 200, { 'content-type': 'text/html' })
  upstreams.homeTelecom.respondWith(broken)
  await runCheck(partner, addressUid)
  rejected(await add(), 422, 'broadband_check_required')
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'draft')

  upstreams.homeTelecom.respondWith(healthyResponses.homeTelecom)
  await runCheck(partner, addressUid)
  upstreams.homeTelecom.respondWith(broken)
  assert.equal(succeeded(await add()).status, 'BroadbandAdded')
  const { availableDates } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.equal(availableDates.length, 20)
})
