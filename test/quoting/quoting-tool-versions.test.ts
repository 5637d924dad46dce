import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, testTime } from '../support/quote-fixtures.ts'
import { publishChangedRateCard } from '../support/rate-cards.ts'
import { succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

const service = await startTestService({}, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

interface Version {
  id: string
  name: string
  isDefault: boolean
}

async function versions(own = partner): Promise<Version[]> {
  return succeeded(await own.get('/Quotes/quoting-tool-versions')).versions
}

test('a sandbox starts with a clearly named version for each of two price caps of 2026; the later one is the default', async () => {
  const found = await versions()
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
  const shipped = ['price-cap-2026-q4-gb-average', 'price-cap-2026-q3-regional']
  assert.deepEqual(await ids(), shipped)
  // Starting on 1 December 2026, move to 31 December 2027, then to 1, 10, 11 and 31 January and 1 February 2028, always
  // at 9 o'clock.
  await advanceClock(own, { days: 395 })
  assert.deepEqual(await ids(), shipped)
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), ['january-2028', ...shipped])
  await advanceClock(own, { days: 9 })
  assert.deepEqual(await ids(), ['one-day-of-january', 'january-2028', ...shipped])
  assert.equal((await versions(own)).filter(({ isDefault }) => isDefault).length, 1)
  const quote = await createQuote(own)
  assert.equal(quote.quotingToolVersionId, 'one-day-of-january')
  assert.equal(quote.expiresAt, '2028-01-10T23:59:59.999Z', "an offer ends when its rate card's sale ends")
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), ['january-2028', ...shipped])
  await advanceClock(own, { days: 20 })
  assert.deepEqual(await ids(), ['january-2028', ...shipped])
  await advanceClock(own, { days: 1 })
  assert.deepEqual(await ids(), shipped)
})
