import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlText } from '../contracts/html-text.ts'
import { connectPartner } from '../support/client.ts'
import { addTenants, finalise, onboard, quoteStatus, sampleTenants } from '../support/household.ts'
import { createQuote, getQuote, totalCost } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { readContracts } from './documents.ts'

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
