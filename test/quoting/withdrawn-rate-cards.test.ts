import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { startHousehold, startPaymentSetup } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import {
  packagesWithRatesMultiplied,
  publishChangedRateCard,
  runStopSigning,
  withdrawCard,
} from '../support/rate-cards.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
after(() => service.stop())
const shipped = 'price-cap-2026-q4-gb-average'

const versions = async (partner: Partner) => succeeded(await partner.get('/Quotes/quoting-tool-versions')).versions

test('a sandbox starts with a clearly named version for each of two price caps of 2026; the later one is the default', async () => {
  const found = await versions(await connectNewPartner(service))
  assert.deepEqual(
    found.map(({ id, isDefault }) => [id, isDefault]),
    [
      ['price-cap-2026-q4-gb-average', true],
      ['price-cap-2026-q3-regional', false],
    ],
  )
  assert.match(found[0]?.name ?? '', /October.*December 2026.*GB average/)
  assert.match(found[1]?.name ?? '', /July.*September 2026.*region/)
})

test('versions are listed only while they are on sale, and the latest one published is the default', async () => {
  await publishChangedRateCard(service, { id: 'january-2028', onSaleFrom: '2028-01-01', onSaleTo: '2028-01-31' })
  await publishChangedRateCard(service, { id: 'one-day-of-january', onSaleFrom: '2028-01-10', onSaleTo: '2028-01-10' })
  const own = await connectNewPartner(service)
  const ids = async () => (await versions(own)).map(({ id }) => id)
  const always = [shipped, 'price-cap-2026-q3-regional']
  assert.deepEqual(await ids(), always)
  // Starting on 1 December 2026, move to 31 December 2027, then to 1, 10, 11 and 31 January and 1 February 2028, always
  // at 9 o'clock.
  await advanceClock(own, { days: 395 })
  assert.deepEqual(await ids(), always)
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), ['january-2028', ...always])
  await advanceClock(own, { days: 9 })
  assert.deepEqual(await ids(), ['one-day-of-january', 'january-2028', ...always])
  assert.equal((await versions(own)).filter(({ isDefault }) => isDefault).length, 1)
  const quote = await createQuote(own)
  assert.equal(quote.quotingToolVersionId, 'one-day-of-january')
  assert.equal(quote.expiresAt, '2028-01-10T23:59:59.999Z', "an offer ends when its rate card's sale ends")
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), ['january-2028', ...always])
  await advanceClock(own, { days: 20 })
  assert.deepEqual(await ids(), ['january-2028', ...always])
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), always)
})

test('a withdrawn card can no longer be chosen, is not listed and is not the default', async () => {
  const partner = await connectNewPartner(service)
  const listed = async () => (await versions(partner)).map(({ id }) => id)
  await publishChangedRateCard(service, { id: 'mistaken-card' })
  assert.deepEqual((await listed()).slice(0, 2), ['mistaken-card', shipped])
  await withdrawCard(service, 'mistaken-card')
  assert.equal((await listed())[0], shipped)
  assert.ok(!(await listed()).includes('mistaken-card'))
  assert.equal((await createQuote(partner)).quotingToolVersionId, shipped)
  const { addressUid } = ordinaryProperty()
  assertProblem(
    await partner.post('/Quotes', { addressUid, quotingToolVersionId: 'mistaken-card' }),
    'quoting_tool_version_not_found',
    ['/quotingToolVersionId'],
  )
})

test('quotes on a withdrawn card keep their price until they expire, and are then repriced on the default of that day', async () => {
  const partner = await connectNewPartner(service)
  await publishChangedRateCard(service, { id: 'cheap-card', packages: await packagesWithRatesMultiplied(0.5) })
  const chosen = await startHousehold(partner, { quotingToolVersionId: 'cheap-card' })
  const byDefault = await startHousehold(partner)
  const before = await totalCost(partner, chosen.quoteId)
  await withdrawCard(service, 'cheap-card')
  await advanceClock(partner, { days: 13 })
  assert.deepEqual(await totalCost(partner, chosen.quoteId), before, 'the offer is kept until it expires')
  succeeded(await partner.post(`/Quotes/${chosen.quoteId}/update-packages`, { packageIds: ['gas-standard'] }))
  assert.equal((await totalCost(partner, chosen.quoteId)).quotingToolVersionId, 'cheap-card')
  await advanceClock(partner, { days: 1 })
  for (const { quoteId } of [chosen, byDefault]) {
    assert.equal((await getQuote(partner, quoteId)).quotingToolVersionId, 'cheap-card')
    const cost = await totalCost(partner, quoteId)
    assert.deepEqual([cost.quotingToolVersionId, cost.QuotePricesUpdated], [shipped, true])
  }
})

test('withdrawing a card again changes nothing, and PostgreSQL refuses to put it back on sale or to change its figures', async () => {
  await publishChangedRateCard(service, { id: 'gone-card' })
  await withdrawCard(service, 'gone-card')
  for (const _ of [1, 2]) await withdrawCard(service, 'gone-card', { stopSigning: true })
  assert.deepEqual(
    await rawRows(
      service,
      `select change from rate_card_changes where quoting_tool_version_id = 'gone-card' order by change_number`,
    ),
    [{ change: 'published' }, { change: 'withdrawn' }, { change: 'signing_stopped' }],
  )
  for (const change of [
    `update rate_cards set withdrawn_at = null where quoting_tool_version_id = 'gone-card'`,
    `update rate_cards set signing_stopped_at = null where quoting_tool_version_id = 'gone-card'`,
    `update rate_cards set card = '{}' where quoting_tool_version_id = 'gone-card'`,
    `update rate_cards set published_at = now() where quoting_tool_version_id = 'gone-card'`,
    `delete from rate_cards where quoting_tool_version_id = 'gone-card'`,
  ])
    await assert.rejects(rawRows(service, change), /immutable/)
})

test('where no other card is on sale, stopping leaves what nobody signed expired, and the next card prices it', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  await startPaymentSetup(partner, lead)
  const sold = await rawRows(service, 'select quoting_tool_version_id as id from rate_cards where withdrawn_at is null')
  for (const { id } of sold) await withdrawCard(service, String(id), { stopSigning: true })
  await runStopSigning(service, clock)
  const { status, expiresAt, lockedUntil } = await getQuote(partner, quoteId)
  assert.deepEqual([status, lockedUntil], ['TenantsAdded', null])
  assert.ok(new Date(expiresAt) <= clock.now())
  assertProblem(await partner.post(`/Customers/${lead}/create-setup-intent`), 'quote_expired')
  assertProblem(await partner.get(`/Quotes/${quoteId}/total-cost`), 'service_unavailable')
  await publishChangedRateCard(service, { id: 'right-card' })
  assert.equal((await totalCost(partner, quoteId)).quotingToolVersionId, 'right-card')
})
