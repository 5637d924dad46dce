import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { expire, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const path = '/Sandbox/price-change'
type Client = Awaited<ReturnType<typeof connectNewPartner>>
const versions = async (partner: Client) =>
  succeeded(await partner.get('/Quotes/quoting-tool-versions')).versions.map(({ id }) => id)

test('after a price change an expired quote reprices with the new prices, and so do new quotes', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId } = await startHousehold(partner, { packages: ['electricity', 'gas'] })
  const before = await totalCost(partner, quoteId)
  const { quotingToolVersionId, name } = succeeded(await partner.post(path, { percent: 10 }))
  assert.equal(name, 'Sandbox price change of +10 %')
  assert.equal((await versions(partner))[0], quotingToolVersionId)
  assert.deepEqual(await totalCost(partner, quoteId), before, 'a quote that has not expired keeps its prices')
  await expire(partner, quoteId)
  const renewed = await totalCost(partner, quoteId)
  assert.equal(renewed.QuotePricesUpdated, true)
  const ratio = renewed.totalCost / before.totalCost
  assert.ok(ratio > 1.099 && ratio < 1.101, String(ratio))
  const other = await startHousehold(partner, { packages: ['electricity', 'gas'] })
  assert.equal((await totalCost(partner, other.quoteId)).totalCost, renewed.totalCost)
})

test('a second change builds on the first, takes its place, and may lower prices', async () => {
  const partner = await connectNewPartner(service)
  const shipped = await versions(partner)
  const { quoteId } = await startHousehold(partner, { packages: ['electricity'] })
  const before = await totalCost(partner, quoteId)
  succeeded(await partner.post(path, { percent: 100 }))
  const second = succeeded(await partner.post(path, { percent: -50 }))
  assert.deepEqual(await versions(partner), [second.quotingToolVersionId, ...shipped])
  await expire(partner, quoteId)
  assert.equal((await totalCost(partner, quoteId)).totalCost, before.totalCost)
})

test("a price change affects no other partner's versions or quotes", async () => {
  const [partner, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  const { quoteId } = await startHousehold(other, { packages: ['electricity', 'gas'] })
  const [versionsBefore, costBefore] = [await versions(other), await totalCost(other, quoteId)]
  succeeded(await partner.post(path, { percent: 50 }))
  assert.deepEqual(await versions(other), versionsBefore)
  await expire(other, quoteId)
  assert.equal((await totalCost(other, quoteId)).totalCost, costBefore.totalCost)
})

test('a percentage out of range, or one that makes a price too large, returns 422 and changes nothing', async () => {
  const partner = await connectNewPartner(service)
  const shipped = await versions(partner)
  for (const percent of [-51, 101])
    assertProblem(await partner.post(path, { percent }), 'validation_failed', ['/percent'])
  assert.deepEqual(await versions(partner), shipped)
  let last = await partner.post(path, { percent: 100 })
  for (let count = 0; last.status === 200 && count < 30; count++) last = await partner.post(path, { percent: 100 })
  assertProblem(last, 'validation_failed', ['/percent out_of_range'])
})
