import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { onboard, type QuoteOptions, quoteStatus, startHousehold } from '../support/household.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { formatDate, readContracts, withoutWhiteSpace } from './documents.ts'

// Today is 1 December 2026.
const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Onboards a household at a special property and returns the lead tenant's contract. */
async function contractAt(home: string, packages: QuoteOptions['packages'], products: readonly string[] = []) {
  const household = await startHousehold(partner, { postcode: 'TE5 7AA', home, packages, products, tenants: 1 })
  await onboard(partner, household.lead)
  assert.equal(await quoteStatus(partner, household.quoteId), 'completed')
  return { ...household, ...(await readContracts(partner, household.lead)) }
}

const offered = async (quoteId: string) =>
  succeeded(await partner.get(`/Quotes/${quoteId}`)).packages.map(({ type }) => type)

for (const [home, missing, packages, offer] of [
  ['no gas', 'gas', ['electricity'], ['electricity', 'broadband']],
  ['no electricity', 'electricity', ['gas'], ['gas', 'broadband']],
] as const) {
  test(`a property with ${home} meter is not offered ${missing} and gets a contract without ${missing}`, async () => {
    const { quoteId, html, pdf } = await contractAt(home, packages)
    assert.deepEqual(await offered(quoteId), offer)
    for (const text of [html, pdf]) {
      assert.ok(text.includes(`Standard${packages[0]}`))
      assert.equal(text.includes(`Standard${missing}`), false)
    }
    const { addressUid } = await startHousehold(partner, { postcode: 'TE5 7AA', home, packages: [] })
    const response = await partner.post('/Quotes', { addressUid, packages: [missing] })
    rejected(response, 422, 'package_not_available')
  })
}

test('a property with no meters is offered broadband alone and gets a broadband contract', async () => {
  const { quoteId, html, pdf } = await contractAt('no meters', ['broadband'], ['fibre-150'])
  assert.deepEqual(await offered(quoteId), ['broadband'])
  for (const text of [html, pdf]) {
    assert.ok(text.includes('HomeBroadband150'))
    assert.equal(/Standardgas|Standardelectricity|kWh/.test(text), false)
  }
})

test('a property on an independent network is priced by its postcode and gets a contract', async () => {
  const { html } = await contractAt('IDNO meter', ['electricity', 'gas'])
  assert.ok(html.includes('Standardelectricity'))
})

test('payments for a property in Scotland fall on Scottish working days, in the schedules and in the contract', async () => {
  const { lead, html, pdf } = await contractAt('Scotland', ['electricity', 'gas'])
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  // Sunday 1 August is followed by a holiday.
  assert.equal(paymentSchedule.nextPaymentDate, '2027-02-01')
  for (const day of ['2027-02-01', '2027-08-03'])
    for (const text of [html, pdf]) assert.ok(text.includes(withoutWhiteSpace(formatDate(day))), day)
  assert.ok(html.includes('bankholidayinScotland'))
})

test('a property whose upstreams fail gets an energy contract, and broadband if its products are known', async () => {
  for (const [home, products] of [
    ['both down', []],
    ['broadband database down', ['fibre-67']],
  ] as const) {
    const { html } = await contractAt(home, ['electricity', 'gas'], products)
    assert.equal(html.includes('HomeBroadband67'), products.length > 0, home)
  }
  const { quoteId, addressUid } = await startHousehold(partner, {
    postcode: 'TE5 7AA',
    home: 'home-telecom provider down',
  })
  const check = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  assert.deepEqual([check.homeTelecomError, check.broadbandDatabaseError], [true, false])
  const response = await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: ['fibre-67'] })
  rejected(response, 422, 'broadband_check_required')
})
