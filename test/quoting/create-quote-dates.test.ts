import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'

const thirtyDays = { QUOTE_VALIDITY_SECONDS: String(30 * 86_400) }
const service = await startTestService(thirtyDays, { clock: movableClock(testTime) })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const tomorrow = '2026-12-02'

test('omitted contract dates default to a start after the validity, the lock and the cancellation period, and a twelve-month term', async () => {
  assert.equal((await createQuote(partner, { contractStartDate: '2027-01-31' })).contractEndDate, '2028-01-30')
  const quote = await createQuote(partner, { contractEndDate: '2027-06-30' })
  assert.deepEqual([quote.contractStartDate, quote.contractEndDate], ['2027-01-29', '2027-06-30'])
})

test('contract dates are London dates: in summer, the hour before midnight UTC belongs to the next day', async () => {
  const own = await connectNewPartner(service)
  await advanceClock(own, { days: 211, seconds: 14.5 * 3_600 })
  const quote = await createQuote(own)
  assert.equal(quote.createdAt.slice(0, 13), '2027-06-30T23')
  assert.equal(quote.contractStartDate, '2027-08-29')
  assert.equal((await own.post('/Quotes', { addressUid, contractStartDate: '2027-07-01' })).status, 422)
  const soon = succeeded(await own.post('/Quotes', { addressUid, contractStartDate: '2027-07-02' }))
  assert.equal(soon.expiresAt, '2027-07-01T22:59:59.999Z')
})

test('an offer has the configured lifetime, but expires no later than the day before the contract starts', async () => {
  const expiry = async (options: { contractStartDate?: string } = {}) => (await createQuote(partner, options)).expiresAt
  assert.equal(await expiry({ contractStartDate: tomorrow }), '2026-12-01T23:59:59.999Z')
  assert.equal(await expiry({ contractStartDate: '2026-12-05' }), '2026-12-04T23:59:59.999Z')
  assert.match(await expiry(), /^2026-12-31T09:/)
  assert.match(await expiry({ contractStartDate: '2027-03-01' }), /^2026-12-31T09:/)
})
