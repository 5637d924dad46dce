import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { publishRateCard } from '../../src/quoting/rates/publish-rate-card.ts'
import { connectPartner } from '../support/client.ts'
import { startHousehold } from '../support/household.ts'
import { withDatabase } from '../support/partners.ts'
import { testTime, totalCost } from '../support/quote-fixtures.ts'
import { specialProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const file = new URL('../../reference-data/rate-cards/sample-consumption-by-occupants.json', import.meta.url)
const card = JSON.parse(await readFile(file, 'utf8'))
const published = await withDatabase(service, (db) => publishRateCard({ db }, card, 'tests'))
assert.equal(published.outcome, 'published')

// A contract of 365 days, all of them with VAT of 5 % on electricity.
const dates = { contractStartDate: '2027-04-01', contractEndDate: '2028-03-30' }

async function electricityCost(tenants: number, options: { addressUid?: string; quotingToolVersionId?: string } = {}) {
  const { quoteId } = await startHousehold(partner, { packages: ['electricity'], tenants, ...dates, ...options })
  return (await totalCost(partner, quoteId)).totalCost
}

/** Net: use × 26.32p + 365 × 54.83p; VAT is 5 % of it. */
const costOf = (kwh: number) => Math.round((kwh * 26.32 + 365 * 54.83) * 1.05)

test('a card with consumption by occupants prices a household by its number of tenants', async () => {
  const own = [await electricityCost(2), await electricityCost(3), await electricityCost(12)]
  assert.deepEqual(own, [costOf(2_500), costOf(2_900), costOf(6_500)])
  const bands = { quotingToolVersionId: 'price-cap-2026-q4-gb-average' }
  assert.deepEqual([await electricityCost(2, bands), await electricityCost(3, bands)], [costOf(2_500), costOf(2_500)])
})

test('a home without gas is priced by its own consumption, if the card has some', async () => {
  const { addressUid } = specialProperty('no-gas')
  assert.equal(await electricityCost(3, { addressUid }), costOf(6_400))
  const bands = { addressUid, quotingToolVersionId: 'price-cap-2026-q4-gb-average' }
  assert.equal(await electricityCost(3, bands), costOf(2_500))
})
