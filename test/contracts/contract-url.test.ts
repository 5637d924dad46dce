import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DocumentFormat } from '../../src/contracts/document-renderer.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { type ServiceUnderTest, startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'

const brief = await startTestService({ CONTRACT_URL_TTL_SECONDS: '90' })
after(() => brief.stop())

// Links are valid for 30 days by default.
testContractUrl(await shareTestService(), 'html', 30 * 86_400)
testContractUrl(brief, 'pdf', 90)

/** Registers the tests of one contract URL operation. The two operations differ only in the format. */
function testContractUrl(service: ServiceUnderTest, format: DocumentFormat, lifetimeSeconds: number): void {
  let partner: Partner
  before(async () => {
    partner = await connectPartner(service.baseUrl, service.credentials)
  })
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

  test(`${format}: once the customer is onboarded, the URL works for its lifetime and has token as its only parameter`, async () => {
    const { lead, tenants } = await startHousehold(partner)
    await onboard(partner, lead)
    const before = Date.now()
    const response = succeeded(await partner.get(path(lead)))
    assert.deepEqual(Object.keys(response), ['customerId', 'contractNumber', 'contractUrl', 'pageUrl', 'expiresAt'])
    assert.equal(response.customerId, lead)
    const url = new URL(response.contractUrl)
    assert.equal(url.origin, service.baseUrl)
    assert.deepEqual([...url.searchParams.keys()], ['token'])
    assert.equal(url.hash, '')
    const lifetime = (Date.parse(response.expiresAt) - before) / 1000
    assert.ok(Math.abs(lifetime - lifetimeSeconds) <= 1, `${lifetime} s`)
    assert.match(response.expiresAt, /Z$/)
    const document = await fetch(url)
    assert.equal(document.status, 200)
    assert.match(
      document.headers.get('content-type') ?? '',
      format === 'html' ? /^text\/html; charset=utf-8$/ : /^application\/pdf$/,
    )
    await document.body?.cancel()
    rejected(await partner.get(path(tenants[1] ?? '')), 422, 'onboarding_incomplete')
  })

  test(`${format}: the URL and its token contain no personal data`, async () => {
    const { lead } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, lead, { firstName: 'Wilhelmina', email: 'wilhelmina@example.com' })
    const { contractUrl } = succeeded(await partner.get(path(lead)))
    const token = new URL(contractUrl).searchParams.get('token') ?? ''
    // Leaves out the last part, because it is the signature and can contain any bytes.
    const readable = token
      .split('.')
      .slice(0, 2)
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    assert.equal(/wilhelmina|@/i.test(contractUrl + readable.join()), false)
  })
}
