import assert from 'node:assert/strict'
import { housebill } from '../../cli/cli-fixture.ts'
import { IssuedCredentials } from '../../cli/command-output.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { addTenants, finalise, findProperty, sampleTenants, startHousehold } from '../../support/household.ts'
import { advanceClock, createQuote, expire, totalCost } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../../support/responses.ts'
import type { Outcomes } from './outcome.ts'

const special = 'TE5 7AA'

async function rejectsPackage(partner: Partner, home: string, type: string): Promise<void> {
  const addressUid = await findProperty(partner, special, home)
  const offered = (await createQuote(partner, { addressUid })).availablePackages
  assert.ok(offered.length > 0 && offered.every((each) => each.type !== type))
  assertProblem(await partner.post('/Quotes', { addressUid, packages: [type] }), 'package_not_available', [
    '/packages/0',
  ])
}

export const homesAndQuotes: Outcomes = {
  async 'a home that cannot be supplied: `address_not_serviceable`'({ partner }) {
    const addressUid = await findProperty(partner, special, 'House 11')
    assertProblem(await partner.post('/Quotes', { addressUid }), 'address_not_serviceable')
  },
  async 'no gas: `package_not_available`'({ partner }) {
    await rejectsPackage(partner, 'House 1:', 'gas')
  },
  async 'no electricity: `package_not_available`'({ partner }) {
    await rejectsPackage(partner, 'House 2:', 'electricity')
  },
  async 'broadband only'({ partner }) {
    const addressUid = await findProperty(partner, special, 'House 3')
    const { availablePackages } = await createQuote(partner, { addressUid })
    assert.deepEqual(
      availablePackages.map(({ type }) => type),
      ['broadband'],
    )
  },
  async 'a home in Scotland'({ partner }) {
    const datesAt = async (home: string) => {
      const { lead } = await startHousehold(partner, { postcode: special, home, tenants: 1 })
      succeeded(await finalise(partner, lead))
      const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
      return paymentSchedule.payments.map(({ date }) => date)
    }
    // Sunday 1 August is followed by a holiday in Scotland.
    assert.ok((await datesAt('House 10')).includes('2027-08-03'))
    assert.ok((await datesAt('House 9')).includes('2027-08-02'))
  },
  async 'a large house'({ partner }) {
    const cost = async (bedrooms: number) => {
      const { quoteId } = await createQuote(partner, { bedrooms, packages: ['electricity', 'gas'] })
      return succeeded(await partner.get(`/Quotes/${quoteId}/estimate?tenants=1` as '/Quotes/{id}/estimate')).totalCost
    }
    assert.ok((await cost(12)) >= (await cost(1)))
    const { quoteId } = await startHousehold(partner, { bedrooms: 12, tenants: 12 })
    const { quoteId: small } = await startHousehold(partner, { bedrooms: 1, tenants: 1 })
    assert.ok((await totalCost(partner, quoteId)).totalCost > (await totalCost(partner, small)).totalCost)
  },
  async 'too many tenants: `too_many_tenants`'({ partner }) {
    const { quoteId } = await createQuote(partner)
    await addTenants(partner, quoteId, sampleTenants(12))
    const more = { tenants: sampleTenants(1, 13) }
    assertProblem(await partner.post(`/Quotes/${quoteId}/add-tenants`, more), 'too_many_tenants', ['/tenants'])
  },
  async 'an expired quote: `quote_expired`'({ partner }) {
    const { quoteId } = await startHousehold(partner)
    await expire(partner, quoteId)
    assertProblem(
      await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds: ['broadband-standard'] }),
      'quote_expired',
    )
  },
  async 'an expired quote with other prices: `QuotePricesUpdated`'({ partner }) {
    const { quoteId } = await startHousehold(partner)
    const before = await totalCost(partner, quoteId)
    succeeded(await partner.post('/Sandbox/price-change', { percent: 10 }))
    await expire(partner, quoteId)
    const after = await totalCost(partner, quoteId)
    assert.ok(after.QuotePricesUpdated && after.totalCost > before.totalCost)
  },
  async 'a later day'({ partner }) {
    succeeded(await partner.post('/Sandbox/clock/advance', { to: '2027-06-15T09:00:00Z' }))
    assert.equal((await createQuote(partner)).createdAt.slice(0, 10), '2027-06-15')
  },
  async 'an empty sandbox'({ partner, service }) {
    await createQuote(partner)
    await advanceClock(partner, { days: 1 })
    const created = await housebill(['partner', 'create', '--name', 'fresh'], service.environment)
    const fresh = await connectPartner(service.baseUrl, created.json(IssuedCredentials))
    assert.deepEqual(succeeded(await fresh.get('/Quotes')).data, [])
    assert.equal(succeeded(await fresh.get('/Sandbox/clock')).offsetSeconds, 0)
  },
}
