import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import { connectPartner } from '../support/client.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { createCompletedQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const statusOf = async (url: string) => (await fetch(url)).status

for (const format of documentFormats) {
  const path = (id: string) => `/Customers/${id}/pci-contract-url-${format}` as const

  test(`${format}: at every step until the customer has accepted the terms, the call returns onboarding_incomplete`, async () => {
    const { lead } = await startHousehold(partner)
    const incomplete = async () => rejected(await partner.get(path(lead)), 422, 'onboarding_incomplete')
    assert.match((await incomplete()).detail, /accept-terms/)
    succeeded(await finalise(partner, lead))
    await incomplete()
    await attachCard(partner, lead)
    await incomplete()
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    succeeded(await partner.get(path(lead)))
  })

  test(`${format}: once the customer is onboarded, the URL works, without personal data and with token as its only parameter`, async () => {
    const { lead } = await startHousehold(partner)
    await onboard(partner, lead, { firstName: 'Wilhelmina', email: 'wilhelmina@example.com' })
    const before = Date.now()
    const response = succeeded(await partner.get(path(lead)))
    assert.deepEqual(Object.keys(response), ['customerId', 'contractNumber', 'contractUrl', 'pageUrl', 'expiresAt'])
    assert.equal(response.customerId, lead)
    const url = new URL(response.contractUrl)
    assert.equal(url.origin, service.baseUrl)
    assert.deepEqual([...url.searchParams.keys()], ['token'])
    assert.equal(url.hash, '')
    const days = (Date.parse(response.expiresAt) - before) / 86_400_000
    assert.ok(Math.abs(days - 30) < 0.001, `${days} days`)
    assert.match(response.expiresAt, /Z$/)
    // Leaves out the last part, because it is the signature and can contain any bytes.
    const readable = (url.searchParams.get('token') ?? '')
      .split('.')
      .slice(0, 2)
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    assert.doesNotMatch(response.contractUrl + readable.join(), /wilhelmina|@/i)
    const document = await fetch(url)
    assert.equal(document.status, 200)
    const type = { html: 'text/html; charset=utf-8', pdf: 'application/pdf' }[format]
    assert.equal(document.headers.get('content-type'), type)
    await document.body?.cancel()
  })
}

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

test('links to previews are revoked too', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { previewUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-preview-url-html`))
  assert.equal(await statusOf(previewUrl), 200)
  succeeded(await partner.post(`/Customers/${lead}/revoke-links`))
  assert.equal(await statusOf(previewUrl), 403)
})
