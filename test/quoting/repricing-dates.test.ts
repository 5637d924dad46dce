import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { daysInPeriod, isoDate } from '../../src/platform/kernel/dates.ts'
import type { Partner } from '../support/client.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, expire, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const today = '2026-12-01'

/** Moves the partner's clock from 9:00 on `from` to 9:00 on `to`. */
async function advanceTo(partner: Partner, from: string, to: string): Promise<void> {
  await advanceClock(partner, { days: daysInPeriod(isoDate(from), isoDate(to)) - 1 })
}

const read = (partner: Partner, quoteId: string) => partner.get(`/Quotes/${quoteId}/total-cost`)

describe('dates', () => {
  /** The dates of a quote that was created on 1 December 2026, expired and was priced again on `day`. */
  async function renewed(day: string, options: Parameters<typeof startHousehold>[1] = {}) {
    const partner = await connectNewPartner(service)
    const { quoteId } = await startHousehold(partner, options)
    await advanceTo(partner, today, day)
    await expire(partner, quoteId)
    const { contractStartDate, contractEndDate, expiresAt } = await totalCost(partner, quoteId)
    return [contractStartDate, contractEndDate, expiresAt.slice(0, 10)]
  }

  test('requested dates in the future are kept; the offer still ends the day before the contract starts', async () => {
    const options = { contractStartDate: '2026-12-15' }
    assert.deepEqual(await renewed('2026-12-10', options), ['2026-12-15', '2027-12-14', '2026-12-14'])
    assert.deepEqual(await renewed('2026-12-14', options), ['2026-12-15', '2027-12-14', '2026-12-14'])
  })

  test('default dates move to 43 days ahead, with a term of twelve months', async () => {
    assert.deepEqual(await renewed('2026-12-16'), ['2027-01-28', '2028-01-27', '2026-12-30'])
    assert.deepEqual(await renewed('2027-02-14'), ['2027-03-29', '2028-03-28', '2027-02-28'])
  })

  test('a requested start that has come becomes tomorrow; a requested end is kept, and a default end keeps twelve months', async () => {
    const options = { contractStartDate: '2026-12-05', contractEndDate: '2027-09-30' }
    assert.deepEqual(await renewed('2027-01-10', options), ['2027-01-11', '2027-09-30', '2027-01-10'])
    assert.deepEqual(await renewed('2027-01-10', { contractStartDate: '2026-12-05' }), [
      '2027-01-11',
      '2028-01-10',
      '2027-01-10',
    ])
  })

  test('dates set by the lead tenant are treated as requested dates', async () => {
    const partner = await connectNewPartner(service)
    const { quoteId, lead } = await startHousehold(partner)
    succeeded(await finalise(partner, lead, { contractStartDate: '2026-12-03', contractEndDate: '2027-08-31' }))
    await advanceTo(partner, today, '2027-01-10')
    const { contractStartDate, contractEndDate } = await totalCost(partner, quoteId)
    assert.deepEqual([contractStartDate, contractEndDate], ['2027-01-11', '2027-08-31'])
  })

  test('dates are kept if at least one month is left; otherwise the quote stays expired and the error says why', async () => {
    const options = { contractStartDate: '2026-12-05', contractEndDate: '2027-06-30' }
    assert.deepEqual((await renewed('2027-05-30', options)).slice(0, 2), ['2027-05-31', '2027-06-30'])
    const partner = await connectNewPartner(service)
    const { quoteId } = await startHousehold(partner, options)
    const { warnings, warningDetails, ...before } = await getQuote(partner, quoteId)
    assert.deepEqual([warnings, warningDetails.length], [['supply_request_required'], 1])
    for (const [from, to] of [
      [today, '2027-06-02'],
      ['2027-06-02', '2028-01-01'],
    ] as const) {
      await advanceTo(partner, from, to)
      const response = await read(partner, quoteId)
      assert.match(assertProblem(response, 'quote_expired').detail, /less than a month.*new quote/)
      const { warnings: now, warningDetails: details, ...after } = await getQuote(partner, quoteId)
      assert.deepEqual(after, before)
      assert.deepEqual([now, details.length], [['quote_expired'], 1])
    }
  })
})

test('a broadband start in the past moves according to the working-day rule; one in the future is kept', async () => {
  const partner = await connectNewPartner(service)
  const { quoteId } = await startHousehold(partner, { contractStartDate: '2026-12-20', products: ['fibre-150'] })
  const start = async () => {
    const { lines } = await totalCost(partner, quoteId)
    return lines.find(({ type }) => type === 'broadband')?.startDate
  }
  const found = await start()
  await advanceTo(partner, today, '2026-12-16')
  await expire(partner, quoteId)
  assert.equal(await start(), found)
  await advanceTo(partner, '2026-12-16', '2027-03-01')
  // Ten working days after Monday 1 March.
  assert.equal(await start(), '2027-03-15')
})
