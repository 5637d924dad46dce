import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIsoDate, isoDate, weekday } from '../../src/platform/kernel/dates.ts'
import type { Nation } from '../../src/properties/property.ts'
import { installDates } from '../../src/sandbox/simulators/home-telecom/server.ts'
import { connectPartner } from '../support/client.ts'
import { addBroadband, startHousehold } from '../support/household.ts'
import {
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createQuote,
  expire,
  testTime,
} from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'
import { bankHolidays } from './broadband-fixture.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const read = (quoteId: string) => partner.get(`/Quotes/${quoteId}/get-bb-install-dates`)
const products = ['fibre-150']

/** The simulated provider's install dates for a contract with the default dates. */
function diaryOf(uprn: string): string[] {
  return installDates({ uprn, orderDate: isoDate('2026-12-01'), from: isoDate('2027-01-13') }, bankHolidays)
}

/**
 * An ordinary property for which the provider has install dates or, with 'no diary', has none, so that the working-day
 * rule applies.
 */
function homeWith(diary: 'a diary' | 'no diary', country: Nation = 'England') {
  for (let index = 0; ; index += 1) {
    const home = ordinaryProperty(index)
    if (home.country === country && diaryOf(home.uprn).length > 0 === (diary === 'a diary')) return home
  }
}

test('if the provider has install dates, they are working days on or after the contract start, and the first is earliestDate', async () => {
  const { addressUid, uprn } = homeWith('a diary')
  const { quoteId } = await startHousehold(partner, { addressUid, products })
  const response = succeeded(await read(quoteId))
  assert.deepEqual(Object.keys(response).sort(), ['availableDates', 'earliestDate', 'quoteId', 'selectedDate'])
  assert.equal(response.selectedDate, null)
  assert.equal(response.quoteId, quoteId)
  assert.equal(response.earliestDate, response.availableDates[0])
  assert.deepEqual(response.availableDates, diaryOf(uprn))
  assert.deepEqual(response.availableDates, [...new Set(response.availableDates)].sort())
  for (const date of response.availableDates) assert.ok(isIsoDate(date) && weekday(date) <= 5 && date >= '2027-01-13')
})

test('without install dates from the provider, 20 English working days are offered, the first at least 10 working days ahead', async () => {
  const { addressUid } = homeWith('no diary')
  const { quoteId } = await startHousehold(partner, { addressUid, products, contractStartDate: '2026-12-10' })
  const { availableDates } = succeeded(await read(quoteId))
  assert.equal(availableDates.length, 20)
  assert.equal(availableDates[0], '2026-12-15')
  for (const holiday of ['2026-12-25', '2026-12-28', '2027-01-01']) assert.ok(!availableDates.includes(holiday))
  assert.ok(availableDates.includes('2027-01-04'))
})

test('the install dates of a property in Scotland skip Scottish bank holidays', async () => {
  const dates = async (country: Nation) => {
    const { addressUid } = homeWith('no diary', country)
    const { quoteId } = await startHousehold(partner, { addressUid, products, contractStartDate: '2026-12-10' })
    return succeeded(await read(quoteId)).availableDates
  }
  assert.ok((await dates('England')).includes('2027-01-04'))
  assert.ok(!(await dates('Scotland')).includes('2027-01-04'))
})

test('the earliest date is the tenth working day or, if later, the first working day from the contract start', async () => {
  const { addressUid } = homeWith('no diary')
  const earliest = async (contractStartDate: string) => {
    const { quoteId } = await startHousehold(partner, { addressUid, contractStartDate, products })
    return succeeded(await read(quoteId)).earliestDate
  }
  assert.equal(await earliest('2026-12-02'), '2026-12-15')
  assert.equal(await earliest('2027-03-13'), '2027-03-15')
})

test('a quote without broadband products returns broadband_products_required, whether or not it has the broadband package', async () => {
  const none = await createQuote(partner)
  const packageOnly = await createQuote(partner, { packages: ['broadband'] })
  for (const { quoteId } of [none, packageOnly]) {
    const response = await read(quoteId)
    assert.match(assertProblem(response, 'broadband_products_required').detail, /add-broadband-products/)
  }
})

test('the install dates can be read at every stage, even if the quote has expired', async () => {
  const open = await createQuote(partner)
  await addBroadband(partner, open.quoteId)
  await expire(partner, open.quoteId)
  const [active, completed, cancelled] = await Promise.all([
    createActiveQuote(partner, { products }),
    createCompletedQuote(partner, { products }),
    createCancelledQuote(partner, { products }),
  ])
  for (const { quoteId } of [open, active, completed, cancelled]) {
    assert.ok(succeeded(await read(quoteId)).availableDates.length > 0)
  }
})
