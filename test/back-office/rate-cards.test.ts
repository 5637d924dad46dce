import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import type {
  RateCardComparisonObject,
  RateCardList,
  RateCardObject,
} from '../../src/back-office/rate-cards/rate-cards.route.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { requireRateCards } from '../../src/quoting/rates/watch-rate-cards.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { createQuote, testTime } from '../support/quote-fixtures.ts'
import { defaultRateCard, packagesWithRatesMultiplied } from '../support/rate-cards.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

type Card = Static<typeof RateCardObject>

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const operator = await connectOperator(service, ['rates:write'])
const partner = await connectPartner(service.baseUrl, service.credentials)

const publish = async (id: string, changes: object = {}) =>
  operator.post<Card>('/RateCards', { card: { ...(await defaultRateCard()), id, name: id, ...changes } })
const versions = async (by = partner) =>
  succeeded(await by.get('/Quotes/quoting-tool-versions')).versions.map(({ id }) => id)

test('two weeks before the figures of the last card end, a check warns, until a card follows that every partner may choose', async () => {
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
  assert.match(metrics, /^housebill_rate_cards_days_left 30$/m)
  const warnOn = (day: string) => withDatabase(service, (db) => requireRateCards(db, isoDate(day)))
  await warnOn('2026-12-16')
  await assert.rejects(warnOn('2026-12-17'), /end on 2026-12-31, and no other card follows/)
  const publishedFor = { from: '2027-01-01', to: '2027-03-31' }
  succeeded(await publish('a-day-late', { publishedFor, onSaleFrom: '2027-01-02' }))
  await assert.rejects(warnOn('2026-12-17'), /end on 2026-12-31/)
  succeeded(await operator.post('/RateCards/a-day-late/withdraw'))
  succeeded(await publish('next-quarter', { publishedFor, onSaleFrom: '2027-01-01', onSaleTo: '2027-02-28' }))
  await warnOn('2026-12-17')
  await assert.rejects(warnOn('2027-02-14'), /end on 2027-02-28/)
  succeeded(await operator.post('/RateCards/next-quarter/withdraw'))
  await assert.rejects(warnOn('2026-12-17'), /end on 2026-12-31/)
  const backwards = await publish('backwards', { publishedFor: { from: '2027-03-31', to: '2027-01-01' } })
  assert.deepEqual(invalidFields(rejected(backwards, 422, 'validation_failed')), [
    ['/card/publishedFor/to', 'not_allowed'],
  ])
})

test('a published card is the default at once; publishing it again changes nothing, and other figures under its id are rejected', async () => {
  const published = succeeded(await publish('published-card'))
  assert.deepEqual(
    [published.state, published.changes.map(({ change, by }) => [change, by])],
    ['on_sale', [['published', operator.clientId]]],
  )
  assert.deepEqual(succeeded(await publish('published-card')), published)
  const other = await publish('published-card', { packages: await packagesWithRatesMultiplied(2) })
  assert.deepEqual(invalidFields(rejected(other, 422, 'validation_failed')), [['/card/id', 'not_allowed']])
  assert.equal((await versions())[0], 'published-card')
  assert.equal((await createQuote(partner)).quotingToolVersionId, 'published-card')
  const withdrawn = succeeded(await operator.post<Card>('/RateCards/published-card/withdraw'))
  assert.deepEqual(succeeded(await operator.post<Card>('/RateCards/published-card/withdraw')), withdrawn)
  assert.ok(!(await versions()).includes('published-card'))
  assert.deepEqual(invalidFields(rejected(await publish('published-card'), 422, 'validation_failed')), [
    ['/card/id', 'not_allowed'],
  ])
})

test('the same card published twenty times at once is published once', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => publish('parallel-card')))
  const [first] = replies.map(succeeded)
  for (const reply of replies) assert.deepEqual(succeeded(reply), first)
  assert.equal(first?.changes.length, 1)
  succeeded(await operator.post('/RateCards/parallel-card/withdraw'))
})

test('a card is on sale on its days only; days that have begun cannot change', async () => {
  const today = testTime.slice(0, 10)
  const days = { onSaleFrom: '2099-01-01', onSaleTo: '2099-12-31' }
  assert.equal(succeeded(await publish('scheduled-card', days)).state, 'scheduled')
  assert.ok(!(await versions()).includes('scheduled-card'))
  const schedule = (body: object) => operator.post<Card>('/RateCards/scheduled-card/schedule', body)
  const past = await schedule({ onSaleFrom: '2020-01-01' })
  assert.deepEqual(invalidFields(rejected(past, 422, 'validation_failed')), [['/onSaleFrom', 'not_allowed']])
  const begun = succeeded(await schedule({ onSaleFrom: today }))
  assert.deepEqual([begun.state, begun.onSaleTo], ['on_sale', null])
  assert.ok((await versions()).includes('scheduled-card'))
  rejected(await schedule(days), 422, 'rate_card_change_not_allowed')
  const ended = await schedule({ onSaleFrom: today, onSaleTo: '2020-01-01' })
  assert.deepEqual(invalidFields(rejected(ended, 422, 'validation_failed')), [['/onSaleTo', 'not_allowed']])
  succeeded(await operator.post('/RateCards/scheduled-card/withdraw'))
  rejected(await schedule({}), 422, 'rate_card_change_not_allowed')
})

test('a restricted card exists for its partners only, and is nobody else’s default', async () => {
  const chosen = await connectNewPartner(service)
  const [row] = await rawRows(service, 'select partner_id from partners order by created_at desc limit 1')
  const partnerIds = [String(row?.partner_id)]
  // Restricted before anybody can choose it.
  succeeded(await publish('restricted-card', { onSaleFrom: '2099-01-01' }))
  const restrict = (body: object) => operator.post<Card>('/RateCards/restricted-card/restrict', body)
  succeeded(await restrict({ partnerIds }))
  succeeded(await operator.post('/RateCards/restricted-card/schedule', {}))
  assert.equal((await versions(chosen))[0], 'restricted-card')
  assert.ok(!(await versions()).includes('restricted-card'))
  assert.equal((await createQuote(chosen)).quotingToolVersionId, 'restricted-card')
  const { addressUid } = ordinaryProperty()
  const forOthers = await partner.post('/Quotes', { addressUid, quotingToolVersionId: 'restricted-card' })
  rejected(forOthers, 422, 'quoting_tool_version_not_found')
  const wrong = await restrict({ partnerIds: ['partner_01m7w4kmmrf2288900000000zz'] })
  assert.deepEqual(invalidFields(rejected(wrong, 422, 'validation_failed')), [['/partnerIds', 'not_allowed']])
  assert.equal(succeeded(await restrict({})).partnerIds, null)
  assert.ok((await versions()).includes('restricted-card'))
  succeeded(await operator.post('/RateCards/restricted-card/withdraw'))
})

test('a card is compared with the present card on every sample home', async () => {
  succeeded(await publish('dearer-card', { packages: await packagesWithRatesMultiplied(2), onSaleFrom: '2099-01-01' }))
  const compare = (before: string, to: string) =>
    operator.get<Static<typeof RateCardComparisonObject>>(`/RateCards/compare?before=${before}&after=${to}`)
  const { homes, figures } = succeeded(await compare('price-cap-2026-q4-gb-average', 'dearer-card'))
  assert.equal(homes.length, 14 * 2 * 6)
  assert.ok(figures.length > 0)
  for (const { difference } of homes) assert.ok((difference?.percent ?? 0) > 99 && (difference?.yearlyCost ?? 0) > 0)
  rejected(await compare('price-cap-2026-q4-gb-average', 'no-such-card'), 404, 'not_found')
})

test('a card with mistakes is rejected with every mistake, and so is a published id', async () => {
  const wrong = await publish('wrong-card', { packages: [], vat: undefined, extra: 1 })
  const fields = invalidFields(rejected(wrong, 422, 'validation_failed')).map(([pointer]) => pointer)
  assert.deepEqual(fields.sort(), ['/card/extra', '/card/packages', '/card/vat'])
  const taken = await publish('price-cap-2026-q4-gb-average', { source: 'Somewhere else' })
  assert.deepEqual(invalidFields(rejected(taken, 422, 'validation_failed')), [['/card/id', 'not_allowed']])
})

test('an unknown card is 404', async () => {
  for (const action of ['schedule', 'restrict', 'withdraw'])
    rejected(await operator.post(`/RateCards/some-card/${action}`, {}), 404, 'not_found')
  const { data } = succeeded(await operator.get<Static<typeof RateCardList>>('/RateCards'))
  assert.ok(data.some(({ quotingToolVersionId }) => quotingToolVersionId === 'price-cap-2026-q4-gb-average'))
})
