import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Static } from 'typebox'
import type { RateCardComparisonObject, RateCardList, RateCardObject } from '../../src/http/operator/wire/rate-card.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote, testTime } from '../support/quote-fixtures.ts'
import { defaultRateCard, packagesWithRatesMultiplied } from '../support/rate-cards.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

type Card = Static<typeof RateCardObject>

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const author = await connectOperator(service)
const approver = await connectOperator(service, ['rates:write'])
const partner = await connectPartner(service.baseUrl, service.credentials)

const draft = async (id: string, changes: object = {}) =>
  author.post<Card>('/RateCards', { card: { ...(await defaultRateCard()), id, name: id, ...changes } })
const versions = async (by = partner) =>
  succeeded(await by.get('/Quotes/quoting-tool-versions')).versions.map(({ id }) => id)

test('a draft cannot be chosen until other credentials approve it, and is then the default', async () => {
  const drafted = succeeded(await draft('approved-card'))
  assert.deepEqual([drafted.state, drafted.publishedAt], ['draft', null])
  assert.ok(!(await versions()).includes('approved-card'))
  assert.deepEqual(succeeded(await draft('approved-card')), drafted, 'drafting it again changes nothing')
  const own = rejected(await author.post('/RateCards/approved-card/approve'), 422, 'rate_card_change_not_allowed')
  assert.match(own.detail ?? '', /Somebody else must approve it/)
  const approved = succeeded(await approver.post<Card>('/RateCards/approved-card/approve'))
  assert.deepEqual(
    [approved.state, approved.changes.map(({ change, by }) => [change, by])],
    [
      'on_sale',
      [
        ['drafted', author.clientId],
        ['published', approver.clientId],
      ],
    ],
  )
  assert.deepEqual(succeeded(await approver.post<Card>('/RateCards/approved-card/approve')), approved)
  assert.equal((await versions())[0], 'approved-card')
  assert.equal((await createQuote(partner)).quotingToolVersionId, 'approved-card')
  succeeded(await approver.post('/RateCards/approved-card/withdraw'))
  assert.ok(!(await versions()).includes('approved-card'))
})

test('a card is on sale on its days only; a first day that has begun cannot change', async () => {
  const today = testTime.slice(0, 10)
  succeeded(await draft('scheduled-card'))
  const days = { onSaleFrom: '2099-01-01', onSaleTo: '2099-12-31' }
  assert.equal(succeeded(await author.post<Card>('/RateCards/scheduled-card/schedule', days)).state, 'draft')
  assert.equal(succeeded(await approver.post<Card>('/RateCards/scheduled-card/approve')).state, 'scheduled')
  assert.ok(!(await versions()).includes('scheduled-card'))
  const begun = succeeded(await author.post<Card>('/RateCards/scheduled-card/schedule', { onSaleFrom: today }))
  assert.deepEqual([begun.state, begun.onSaleTo], ['on_sale', null])
  assert.ok((await versions()).includes('scheduled-card'))
  rejected(await author.post('/RateCards/scheduled-card/schedule', days), 422, 'rate_card_change_not_allowed')
  const past = await author.post('/RateCards/scheduled-card/schedule', { onSaleFrom: today, onSaleTo: '2020-01-01' })
  assert.deepEqual(invalidFields(rejected(past, 422, 'validation_failed')), [['/onSaleTo', 'not_allowed']])
  succeeded(await author.post('/RateCards/scheduled-card/withdraw'))
  rejected(await author.post('/RateCards/scheduled-card/schedule', {}), 422, 'rate_card_change_not_allowed')
})

test('a restricted card exists for its partners only, and is nobody else’s default', async () => {
  const chosen = await connectNewPartner(service)
  const [row] = await rawRows(service, 'select partner_id from partners order by created_at desc limit 1')
  const partnerIds = [String(row?.partner_id)]
  succeeded(await draft('restricted-card'))
  succeeded(await author.post('/RateCards/restricted-card/restrict', { partnerIds }))
  succeeded(await approver.post('/RateCards/restricted-card/approve'))
  assert.equal((await versions(chosen))[0], 'restricted-card')
  assert.ok(!(await versions()).includes('restricted-card'))
  assert.equal((await createQuote(chosen)).quotingToolVersionId, 'restricted-card')
  const { addressUid } = ordinaryProperty()
  const refused = await partner.post('/Quotes', { addressUid, quotingToolVersionId: 'restricted-card' })
  rejected(refused, 422, 'quoting_tool_version_not_found')
  const unknown = ['partner_01m7w4kmmrf2288900000000zz']
  const wrong = await author.post('/RateCards/restricted-card/restrict', { partnerIds: unknown })
  assert.deepEqual(invalidFields(rejected(wrong, 422, 'validation_failed')), [['/partnerIds', 'not_allowed']])
  const free = succeeded(await author.post<Card>('/RateCards/restricted-card/restrict', {}))
  assert.equal(free.partnerIds, null)
  assert.ok((await versions()).includes('restricted-card'))
  succeeded(await author.post('/RateCards/restricted-card/withdraw'))
})

test('a draft is compared with the present card on every sample home', async () => {
  succeeded(await draft('dearer-card', { packages: await packagesWithRatesMultiplied(2) }))
  const compare = (before: string, to: string) =>
    author.get<Static<typeof RateCardComparisonObject>>(`/RateCards/compare?before=${before}&after=${to}`)
  const { homes, figures } = succeeded(await compare('price-cap-2026-q4-gb-average', 'dearer-card'))
  assert.equal(homes.length, 14 * 2 * 6)
  assert.ok(figures.length > 0)
  for (const { difference } of homes) assert.ok((difference?.percent ?? 0) > 99 && (difference?.yearlyCost ?? 0) > 0)
  rejected(await compare('price-cap-2026-q4-gb-average', 'no-such-card'), 404, 'not_found')
})

test('a draft that is withdrawn is gone, and its id free', async () => {
  succeeded(await draft('discarded-card'))
  assert.equal(succeeded(await author.post<Card>('/RateCards/discarded-card/withdraw')).state, 'withdrawn')
  rejected(await author.post('/RateCards/discarded-card/approve'), 404, 'not_found')
  assert.equal(succeeded(await draft('discarded-card', { onSaleTo: '2099-01-01' })).state, 'draft')
})

test('a card with mistakes is rejected with every mistake, and so is a published id', async () => {
  const wrong = await draft('wrong-card', { packages: [], vat: undefined, extra: 1 })
  const fields = invalidFields(rejected(wrong, 422, 'validation_failed')).map(([pointer]) => pointer)
  assert.deepEqual(fields.sort(), ['/card/extra', '/card/packages', '/card/vat'])
  const taken = await draft('price-cap-2026-q4-gb-average')
  assert.deepEqual(invalidFields(rejected(taken, 422, 'validation_failed')), [['/card/id', 'not_allowed']])
})

test('every operation needs rates:write, and an unknown card is 404', async () => {
  const without = await connectOperator(service, ['contracts:read', 'partners:write'])
  rejected(await without.get('/RateCards'), 403, 'insufficient_scope')
  for (const action of ['approve', 'schedule', 'restrict', 'withdraw']) {
    rejected(await without.post(`/RateCards/some-card/${action}`, {}), 403, 'insufficient_scope')
    rejected(await author.post(`/RateCards/some-card/${action}`, {}), 404, 'not_found')
  }
  const { data } = succeeded(await author.get<Static<typeof RateCardList>>('/RateCards'))
  assert.ok(data.some(({ quotingToolVersionId }) => quotingToolVersionId === 'price-cap-2026-q4-gb-average'))
})
