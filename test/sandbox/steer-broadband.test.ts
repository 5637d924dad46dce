import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { addBroadband } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const attemptMs = 8_907
const limits = holdTimeouts((ms) => ms === attemptMs)
const upstreamLimits = { attemptMs, retries: 0, failuresToOpen: 3 }
const service = await startTestService({}, { upstreamLimits })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const other = await connectNewPartner(service)

let next = 0
/** A property that no other test here has used. */
function freshHome(): string {
  next += 1
  return ordinaryProperty(next * 7).addressUid
}
const steer = (addressUid: string, body: unknown, by: Partner = partner) =>
  by.post(`/Sandbox/broadband/${addressUid}`, body)
const check = async (addressUid: string, by: Partner = partner) =>
  succeeded(await by.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
const ok = { outcome: 'ok' }

/** Runs a check with one hanging upstream, whose time limit expires as soon as the other upstream has responded. */
async function checkInTime(addressUid: string) {
  const begun = limits.begun(attemptMs)
  const result = check(addressUid)
  await waitFor(
    'one upstream has responded',
    () => limits.begun(attemptMs) - begun === 2 && limits.running(attemptMs) === 1,
  )
  limits.pass(attemptMs)
  return result
}

test('a call changes only the upstreams that it names; a slow upstream takes 2 seconds by default', async () => {
  const addressUid = freshHome()
  assert.deepEqual(succeeded(await steer(addressUid, {})), { addressUid, homeTelecom: ok, broadbandDatabase: ok })
  const down = { outcome: 'down' }
  assert.deepEqual(succeeded(await steer(addressUid, { homeTelecom: down })), {
    addressUid,
    homeTelecom: down,
    broadbandDatabase: ok,
  })
  assert.deepEqual(succeeded(await steer(addressUid, { broadbandDatabase: { outcome: 'slow' } })), {
    addressUid,
    homeTelecom: down,
    broadbandDatabase: { outcome: 'slow', seconds: 2 },
  })
  assert.deepEqual(succeeded(await steer(addressUid, { homeTelecom: ok, broadbandDatabase: ok })), {
    addressUid,
    homeTelecom: ok,
    broadbandDatabase: ok,
  })
})

const faults = {
  down: /returned an error/,
  'not-json': /returned an error/,
  'wrong-shape': /returned an error/,
  'rate-limited': /returned an error/,
  timeout: /did not respond in time/,
}
for (const [outcome, message] of Object.entries(faults)) {
  test(`an upstream with the simulated outcome ${outcome} affects only its half of the check, and works again when reset`, async () => {
    const addressUid = freshHome()
    const checkFault = outcome === 'timeout' ? checkInTime : check
    succeeded(await steer(addressUid, { homeTelecom: { outcome } }))
    const withoutProvider = await checkFault(addressUid)
    assert.deepEqual(
      [withoutProvider.homeTelecomError, withoutProvider.broadbandDatabaseError, withoutProvider.available],
      [true, false, true],
    )
    assert.match(withoutProvider.homeTelecomErrors.join(), message)
    assert.deepEqual(withoutProvider.products, [])

    succeeded(await steer(addressUid, { homeTelecom: ok, broadbandDatabase: { outcome } }))
    const withoutDatabase = await checkFault(addressUid)
    assert.deepEqual([withoutDatabase.homeTelecomError, withoutDatabase.broadbandDatabaseError], [false, true])
    assert.match(withoutDatabase.broadbandDatabaseErrors.join(), message)
    assert.ok(withoutDatabase.products.length > 3)

    succeeded(await steer(addressUid, { broadbandDatabase: ok }))
    const whole = await check(addressUid)
    assert.deepEqual([whole.homeTelecomError, whole.broadbandDatabaseError], [false, false])
  })
}

test('the result from a slow upstream is complete and is not cached', async () => {
  const addressUid = freshHome()
  const patient = await startTestService()
  try {
    const own = await connectPartner(patient.baseUrl, patient.credentials)
    succeeded(await steer(addressUid, { homeTelecom: { outcome: 'no-products' } }, own))
    for (const broadbandDatabase of [{ outcome: 'slow', seconds: 1 }, { outcome: 'no-broadband' }]) {
      succeeded(await steer(addressUid, { broadbandDatabase }, own))
      const { maxSpeed, broadbandDatabaseError } = await check(addressUid, own)
      assert.deepEqual([maxSpeed > 0, broadbandDatabaseError], [broadbandDatabase.outcome === 'slow', false])
    }
  } finally {
    await patient.stop()
  }
})

test('no-products and no-broadband cause no error, but no product can then be added', async () => {
  const addressUid = freshHome()
  const steering = { homeTelecom: { outcome: 'no-products' }, broadbandDatabase: { outcome: 'no-broadband' } }
  succeeded(await steer(addressUid, steering))
  const { available, products, maxSpeed, homeTelecomError, broadbandDatabaseError } = await check(addressUid)
  assert.deepEqual(
    [available, products, maxSpeed, homeTelecomError, broadbandDatabaseError],
    [false, [], 0, false, false],
  )
  const { quoteId } = await createQuote(partner, { addressUid })
  const added = await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: ['fibre-150'] })
  rejected(added, 422, 'broadband_product_not_available')
})

test('install dates follow the working-day rule if the provider is simulated as down', async () => {
  const addressUid = freshHome()
  const { quoteId } = await createQuote(partner, { addressUid })
  await addBroadband(partner, quoteId, ['fibre-150'])
  succeeded(await steer(addressUid, { homeTelecom: { outcome: 'down' } }))
  const { availableDates } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.equal(availableDates.length, 20)
})

test('the outcomes that one partner simulates do not affect other partners or their cached results', async () => {
  const addressUid = freshHome()
  const steering = { homeTelecom: { outcome: 'no-products' }, broadbandDatabase: { outcome: 'no-broadband' } }
  succeeded(await steer(addressUid, steering))
  assert.equal((await check(addressUid)).available, false)
  const theirs = await check(addressUid, other)
  assert.deepEqual([theirs.available, theirs.products.length > 3], [true, true])
  // A check with simulated outcomes does not use the result cached for the other partner.
  assert.equal((await check(addressUid)).available, false)
  assert.deepEqual(succeeded(await steer(addressUid, {}, other)), {
    addressUid,
    homeTelecom: ok,
    broadbandDatabase: ok,
  })
})

test('checks of other properties are not affected by any number of simulated outages', async () => {
  for (let home = 0; home < 6; home += 1) {
    const addressUid = freshHome()
    const both = { outcome: 'rate-limited' }
    succeeded(await steer(addressUid, { homeTelecom: both, broadbandDatabase: both }))
    assert.match((await check(addressUid)).homeTelecomErrors.join(), /returned an error/)
  }
  for (const by of [partner, other]) {
    const { homeTelecomError, broadbandDatabaseError } = await check(freshHome(), by)
    assert.deepEqual([homeTelecomError, broadbandDatabaseError], [false, false])
  }
})

test('a provider that is down for a special property stays down for it even if its outcome is set to ok', async () => {
  const { addressUid } = specialProperty('home-telecom-down')
  succeeded(await steer(addressUid, { homeTelecom: ok }))
  assert.equal((await check(addressUid)).homeTelecomError, true)
})

test('only a slow upstream can be given seconds', async () => {
  const response = await steer(freshHome(), { homeTelecom: { outcome: 'down', seconds: 1 } })
  const { errors } = rejected(response, 422, 'validation_failed')
  assert.deepEqual(
    errors?.map(({ pointer }) => pointer),
    ['/homeTelecom/seconds'],
  )
})

test('in a sandbox with a real provider, only the behaviour of the other upstream, which is simulated, can be set', async () => {
  const real = await startTestService({ HOME_TELECOM_URL: `http://127.0.0.1:${await findFreePort()}` })
  try {
    const own = await connectPartner(real.baseUrl, real.credentials)
    const addressUid = freshHome()
    const response = await steer(addressUid, { homeTelecom: { outcome: 'down' } }, own)
    assert.match(rejected(response, 503, 'service_unavailable').detail, /Leave homeTelecom out/)
    succeeded(await steer(addressUid, { broadbandDatabase: { outcome: 'down' } }, own))
  } finally {
    await real.stop()
  }
})
