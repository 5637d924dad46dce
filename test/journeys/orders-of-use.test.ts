import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlText } from '../contracts/html-text.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import {
  addTenants,
  attachCard,
  finalise,
  findProperty,
  onboard,
  paymentStatus,
  personalInformation,
  quoteStatus,
  sampleTenants,
} from '../support/household.ts'
import { createQuote, getQuote, totalCost } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { readContracts, withoutWhiteSpace } from './documents.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('a client that selects every package and skips the broadband steps gets contracts that say so', async () => {
  const { quoteId, availablePackages } = await createQuote(partner)
  const packageIds = availablePackages.map(({ packageId }) => packageId)
  assert.equal(packageIds.length, 3)
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds }))
  const tenants = await addTenants(partner, quoteId, sampleTenants(2))

  const cost = await totalCost(partner, quoteId)
  assert.deepEqual(cost.warnings, ['broadband_not_included'])
  assert.deepEqual(
    cost.lines.map(({ type }) => type),
    ['electricity', 'gas'],
  )
  assert.equal((await getQuote(partner, quoteId)).selectedPackages.length, 3)

  const sentence = 'Broadband is not part of this contract.'
  for (const tenant of tenants) {
    succeeded(await finalise(partner, tenant, { email: `${tenant}@example.com` }))
    const { previewUrl } = succeeded(await partner.get(`/Customers/${tenant}/pci-preview-url-html`))
    const preview = await (await fetch(previewUrl)).arrayBuffer()
    assert.ok(htmlText(Buffer.from(preview)).includes(sentence))
    await onboard(partner, tenant)
    const { html, pdf } = await readContracts(partner, tenant)
    for (const text of [html, pdf]) assert.ok(text.includes(sentence.replaceAll(' ', '')))
    const { services } = succeeded(await partner.get(`/Customers/${tenant}`))
    assert.deepEqual(
      services.map(({ serviceId }) => serviceId),
      ['electricity-standard', 'gas-standard'],
    )
  }
  assert.equal(await quoteStatus(partner, quoteId), 'completed')
})

/** Takes one step of onboarding a household and returns the quote's new status. */
type Step = (partner: Partner, quoteId: string) => Promise<string>

async function addPackages(partner: Partner, quoteId: string): Promise<string> {
  const { packages } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const energy = packages.filter(({ type }) => type !== 'broadband')
  const packageIds = energy.map(({ packageId }) => packageId)
  return succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, { packageIds })).status
}

const addPeople =
  (count: number): Step =>
  async (partner, quoteId) =>
    succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(count) })).status

/** Takes all broadband steps, from the check to the install dates. */
async function addBroadband(partner: Partner, quoteId: string): Promise<string> {
  const { address } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  const request = succeeded(
    await partner.post('/Quotes/broadband-availability-requests', { addressUid: address.addressUid }),
  )
  const check = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${request.uid}`))
  assert.equal(check.available, true)
  const broadbandProducts = [check.products[0]?.productId]
  const added = succeeded(await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts }))
  const { availableDates, earliestDate } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  assert.equal(availableDates[0], earliestDate)
  return added.status
}

/** Takes one tenant through all steps in the documented order, from personal information to accepting the terms. */
async function finish(partner: Partner, customerId: string, number: number): Promise<void> {
  const path = `/Customers/${customerId}` as const
  const details = personalInformation({
    firstName: 'Tenant',
    lastName: `Ñumber${number}`,
    email: `t${number}@example.com`,
  })
  succeeded(await partner.post(`${path}/finalise-personal-information`, details))
  const { paymentSchedule } = succeeded(await partner.get(`${path}/payment-schedules`))
  assert.ok(paymentSchedule.payments.length > 0)
  await attachCard(partner, customerId)
  assert.equal(await paymentStatus(partner, customerId), 'ready')
  succeeded(await partner.post(`${path}/accept-terms`))
}

async function readDocuments(partner: Partner, customerId: string, number: number): Promise<void> {
  const { html, pdf } = await readContracts(partner, customerId)
  for (const text of [html, pdf]) assert.ok(text.includes(withoutWhiteSpace(`Tenant Ñumber${number}`)))
}

/** What else is done first is in test/cli/journey.test.ts. */
const stepsFor = (tenants: number): [status: string, step: Step][] => [
  ['TenantsAdded', addPeople(tenants)],
  ['PackagesSelected', addPackages],
  ['BroadbandAdded', addBroadband],
]

for (const count of isFullSize ? [1, 3, 12] : [3]) {
  test(`a household is onboarded from the first step to the last, tenants first, with ${count === 1 ? 'one tenant' : `${count} tenants`}`, async () => {
    const partner = await connectPartner(service.baseUrl, service.credentials)
    const addressUid = await findProperty(partner, 'nr47tj')
    const created = succeeded(await partner.post('/Quotes', { addressUid }))
    const { quoteId } = created
    assert.equal(created.status, 'draft')
    for (const [status, step] of stepsFor(count)) {
      assert.equal(await step(partner, quoteId), status)
      assert.equal(await quoteStatus(partner, quoteId), status)
    }
    const cost = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
    assert.equal(cost.QuotePricesUpdated, false)
    assert.equal(cost.costBreakdown.length, count)
    for (const [index, { tenantId }] of cost.costBreakdown.entries()) {
      assert.equal(await quoteStatus(partner, quoteId), index === 0 ? 'BroadbandAdded' : 'active')
      await finish(partner, tenantId, index + 1)
    }
    assert.equal(await quoteStatus(partner, quoteId), 'completed')
    await readDocuments(partner, cost.costBreakdown[0]?.tenantId ?? '', 1)
    await readDocuments(partner, cost.costBreakdown.at(-1)?.tenantId ?? '', count)
    assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`)).totalCost, cost.totalCost)
  })
}
