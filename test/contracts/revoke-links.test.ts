import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { createCompletedQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const statusOf = async (url: string) => (await fetch(url)).status

async function linksOf(customerId: string): Promise<string[]> {
  const html = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-html`))
  const pdf = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-pdf`))
  return [html.contractUrl, html.pageUrl, pdf.contractUrl, pdf.pageUrl]
}

test('after the partner or the operator revokes the links of a customer, earlier links open nothing and new ones work', async () => {
  const { lead } = await createCompletedQuote(partner)
  const { lead: other } = await createCompletedQuote(partner)
  const kept = await linksOf(other)
  const operator = await connectOperator(service)
  const revocations = [
    async () => succeeded(await partner.post(`/Customers/${lead}/revoke-links`)),
    async () => succeeded(await operator.post<{ customerId: string }>(`/Customers/${lead}/revoke-links`)),
  ]
  for (const revoke of revocations) {
    const links = await linksOf(lead)
    assert.deepEqual(await Promise.all(links.map(statusOf)), [200, 200, 200, 200])
    assert.equal((await revoke()).customerId, lead)
    assert.deepEqual(await Promise.all(links.map(statusOf)), [403, 403, 403, 403])
  }
  assert.deepEqual(await Promise.all((await linksOf(lead)).map(statusOf)), [200, 200, 200, 200])
  assert.deepEqual(await Promise.all(kept.map(statusOf)), [200, 200, 200, 200])
})

test('links to previews are revoked too, and another partner can revoke nothing', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { previewUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-preview-url-html`))
  const foreign = await connectAnotherPartner(service)
  rejected(await foreign.post(`/Customers/${lead}/revoke-links`), 404, 'not_found')
  assert.equal(await statusOf(previewUrl), 200)
  succeeded(await partner.post(`/Customers/${lead}/revoke-links`))
  assert.equal(await statusOf(previewUrl), 403)
})
