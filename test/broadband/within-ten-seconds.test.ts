import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeeded } from '../support/answers.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startTestService } from '../support/service.ts'
import { halves, runCheck, startBreakableUpstreams, unusedHome } from './breakable-upstreams.ts'

/** What decisions §7 allows, held with the limits an operator has; all waits are side by side. */
const tenSeconds = 10_000

test('upstreams that take every call and never answer: whatever needs them is answered within ten seconds, all else as ever', async () => {
  const upstreams = await startBreakableUpstreams()
  const service = await startTestService({
    HOME_TELECOM_URL: upstreams.homeTelecom.baseUrl,
    BROADBAND_DATABASE_URL: upstreams.broadbandDatabase.baseUrl,
  })
  try {
    const partner = await connectPartner(service.baseUrl, service.credentials)
    const neighbour = await connectNewPartner(service)
    const addressUid = unusedHome()
    const quotes = await Promise.all(
      [0, 1].map(async () => succeeded(await partner.post('/Quotes', { addressUid })).quoteId),
    )
    await runCheck(partner, addressUid)
    const products = { broadbandProducts: ['fibre-150'] }
    succeeded(await partner.post(`/Quotes/${quotes[0]}/add-broadband-products`, products))

    for (const half of halves) upstreams[half].answerWith(() => undefined)
    const startedAt = performance.now()
    const took = async <Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> => {
      const result = await work
      return { result, ms: performance.now() - startedAt }
    }
    // More checks at once than an upstream is asked at once.
    const crowd = Promise.all(Array.from({ length: 40 }, () => runCheck(partner, unusedHome())))
    const others = Promise.all([slowestOf(neighbour), slowestOf(partner)])
    const [check, added, dates] = await Promise.all([
      took(runCheck(partner, unusedHome())),
      took(partner.post(`/Quotes/${quotes[1]}/add-broadband-products`, products)),
      took(partner.get(`/Quotes/${quotes[0]}/get-bb-install-dates`)),
    ])
    for (const { ms } of [check, added, dates]) assert.ok(ms < tenSeconds, `${ms} ms`)
    assert.deepEqual([check.result.homeTelecomError, check.result.broadbandDatabaseError], [true, true])
    for (const slowest of await others) assert.ok(slowest < 2_000, `${slowest} ms for what asks no upstream`)
    for (const result of await crowd) {
      assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError, result.available], [true, true, false])
    }
    assert.ok(performance.now() - startedAt < tenSeconds)
    assert.equal(succeeded(added.result).status, 'BroadbandAdded')
    assert.equal(succeeded(dates.result).availableDates.length, 20)
  } finally {
    await service.stop()
    await Promise.all(halves.map((half) => upstreams[half].close()))
  }
})

/** The longest of a few operations that ask nobody, in milliseconds. */
async function slowestOf(by: Partner): Promise<number> {
  let slowest = 0
  const timed = async <Result>(work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now()
    const result = await work
    slowest = Math.max(slowest, performance.now() - startedAt)
    return result
  }
  succeeded(await timed(by.get('/Addresses/lookup?postcode=LS29JT')))
  const { quoteId } = succeeded(
    await timed(by.post('/Quotes', { addressUid: unusedHome(), packages: ['electricity'] })),
  )
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  succeeded(await timed(by.post(`/Quotes/${quoteId}/add-tenants`, { tenants })))
  succeeded(await timed(by.get(`/Quotes/${quoteId}/total-cost`)))
  return slowest
}
