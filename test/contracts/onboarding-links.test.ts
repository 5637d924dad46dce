import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { startHousehold } from '../support/household.ts'
import { createCancelledQuote } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('each link to the pages of a tenant is a new one, and a cancelled quote has none', async () => {
  const { lead } = await startHousehold(partner)
  const create = async () => succeeded(await partner.post(`/Customers/${lead}/onboarding-links`))
  const [first, second] = [await create(), await create()]
  assert.ok(first.url.includes(`/my-bills/${lead}/links/`) && first.url !== second.url)
  assert.equal(succeeded(await partner.post(`/Customers/${lead}/onboarding-links/revoke`)).customerId, lead)
  const cancelled = await createCancelledQuote(partner)
  assertProblem(await partner.post(`/Customers/${cancelled.lead}/onboarding-links`), 'quote_cancelled')
})
