import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { startHousehold } from '../support/household.ts'
import { createActiveQuote, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const expire = (quoteId: string) => partner.post(`/Sandbox/quotes/${quoteId}/expire`)

test('expiring an open quote does not change its status, and total-cost renews the quote', async () => {
  const { quoteId } = await startHousehold(partner)
  const before = await getQuote(partner, quoteId)
  const expired = succeeded(await expire(quoteId))
  assert.equal(expired.status, before.status)
  assert.ok(expired.expiresAt < before.expiresAt)
  assert.equal(expired.expiresAt.slice(0, 10), '2026-12-01')
  assert.equal((await getQuote(partner, quoteId)).expiresAt, expired.expiresAt)
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})

test('expiring an expired quote changes nothing', async () => {
  const { quoteId } = await createQuote(partner)
  const first = succeeded(await expire(quoteId))
  assert.deepEqual(succeeded(await expire(quoteId)), first)
})

test('expiring an active quote ends its lock: it is open again with expired prices', async () => {
  const { quoteId } = await createActiveQuote(partner)
  const expired = succeeded(await expire(quoteId))
  assert.equal(expired.status, 'TenantsAdded')
  assert.equal(expired.lockedUntil, null)
  assert.equal(expired.expiresAt.slice(0, 10), '2026-12-01')
  assert.equal((await totalCost(partner, quoteId)).QuotePricesUpdated, true)
})
