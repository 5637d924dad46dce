import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HomeTelecom, InstallationRequest } from '../../src/broadband/broadband-providers.ts'
import { findInstallDates } from '../../src/broadband/find-install-dates.ts'
import { addDays, type IsoDate, isIsoDate, isoDate, weekday } from '../../src/platform/kernel/dates.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { fallbackInstallDates } from '../../src/quoting/broadband/schedule-broadband.ts'
import { installDates } from '../../src/sandbox/simulators/home-telecom/server.ts'
import { connectPartner } from '../support/client.ts'
import { addBroadband, finalise, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createActiveQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'
import { bankHolidays } from './broadband-fixture.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const products = ['fibre-150']
const select = (quoteId: string, date: unknown, own = partner) =>
  own.post(`/Quotes/${quoteId}/select-install-date`, { date })
const dates = async (quoteId: string, own = partner) =>
  succeeded(await own.get(`/Quotes/${quoteId}/get-bb-install-dates`))
/** The day from which the price charges broadband. */
const pricedStart = async (quoteId: string, own = partner) =>
  (await totalCost(own, quoteId)).lines.find(({ type }) => type === 'broadband')?.startDate

test('a selected date is the day on which broadband starts, and the price follows', async () => {
  const { quoteId, lead } = await startHousehold(partner, { products })
  const before = await totalCost(partner, quoteId)
  const { availableDates, earliestDate, selectedDate } = await dates(quoteId)
  const [, , third = ''] = availableDates
  assert.equal(selectedDate, null)
  const { status, ...response } = succeeded(await select(quoteId, third))
  assert.deepEqual([status, response.selectedDate], ['BroadbandAdded', third])
  const after = await totalCost(partner, quoteId)
  assert.ok(after.totalCost < before.totalCost)
  assert.deepEqual([after.monthlyCost, after.warnings, after.warningDetails], [before.monthlyCost, [], []])
  assert.equal(await pricedStart(quoteId), third)
  const { services } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.equal(services.find(({ name }) => name.includes('Broadband'))?.startDate, third)
  assert.deepEqual(await dates(quoteId), { quoteId, availableDates, earliestDate, selectedDate: third })
  const { priceUpdates } = await getQuote(partner, quoteId)
  assert.equal(priceUpdates.at(-1)?.reason, 'broadband_changed')
})

test('the earliest date can be selected again, and selecting the same date twice changes nothing', async () => {
  const { quoteId } = await startHousehold(partner, { products })
  const before = await totalCost(partner, quoteId)
  const { availableDates, earliestDate } = await dates(quoteId)
  const [, second = ''] = availableDates
  succeeded(await select(quoteId, second))
  assert.deepEqual(succeeded(await select(quoteId, second)).selectedDate, second)
  succeeded(await select(quoteId, earliestDate))
  assert.equal((await totalCost(partner, quoteId)).totalCost, before.totalCost)
  assert.equal(await pricedStart(quoteId), earliestDate)
})

test('a day on which the provider installs nothing returns install_date_not_available and changes nothing', async () => {
  const { quoteId } = await startHousehold(partner, { products })
  const { text } = await partner.get(`/Quotes/${quoteId}`)
  for (const date of ['2026-12-25', '2026-12-05', '2030-01-07', '2020-01-01']) {
    const problem = assertProblem(await select(quoteId, date), 'install_date_not_available', [
      '/date install_date_not_available',
    ])
    assert.match(problem.detail, /get-bb-install-dates/)
  }
  assert.equal((await partner.get(`/Quotes/${quoteId}`)).text, text)
})

test('while the provider is down, the days of the working-day rule and the day in the price can be selected', async () => {
  const { quoteId, addressUid } = await startHousehold(partner, { products })
  const start = (await pricedStart(quoteId)) ?? ''
  succeeded(await partner.post(`/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'down' } }))
  const { availableDates, earliestDate } = await dates(quoteId)
  assert.equal(earliestDate, start)
  for (const date of [availableDates.at(-1) ?? '', start]) {
    succeeded(await select(quoteId, date))
    assert.equal(await pricedStart(quoteId), date)
  }
  succeeded(await partner.post(`/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'ok' } }))
})

test('when the contract start moves past the selected date, the date is dropped with a warning until another is selected', async () => {
  const { quoteId, lead } = await startHousehold(partner, { products })
  const [, second = '', third = ''] = (await dates(quoteId)).availableDates
  succeeded(await select(quoteId, third))
  succeeded(await finalise(partner, lead, { contractStartDate: second }))
  assert.equal(await pricedStart(quoteId), third, 'a start before the date keeps it')
  succeeded(await finalise(partner, lead, { contractStartDate: addDays(isoDate(third), 1) }))
  const cost = await totalCost(partner, quoteId)
  assert.deepEqual(cost.warnings, ['install_date_dropped'])
  const [detail, ...others] = cost.warningDetails
  assert.deepEqual([detail?.code, detail?.date, detail?.packageId, others], ['install_date_dropped', third, null, []])
  assert.match(detail?.detail ?? '', /select-install-date/)
  assert.deepEqual((await getQuote(partner, quoteId)).warnings, ['install_date_dropped'])
  const own = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  assert.deepEqual([own.warnings, own.warningDetails], [cost.warnings, cost.warningDetails])
  const { earliestDate, selectedDate } = await dates(quoteId)
  assert.equal(selectedDate, null)
  assert.equal(await pricedStart(quoteId), earliestDate)
  succeeded(await select(quoteId, earliestDate))
  assert.deepEqual((await totalCost(partner, quoteId)).warnings, [])
})

test('when the contract end moves before the selected date, the date is dropped with a warning', async () => {
  const { quoteId, lead } = await startHousehold(partner, { products })
  const last = (await dates(quoteId)).availableDates.at(-1) ?? ''
  assert.ok(last > '2027-01-14')
  succeeded(await select(quoteId, last))
  const term = { contractStartDate: '2026-12-15', contractEndDate: '2027-01-14' }
  succeeded(await finalise(partner, lead, term))
  const { warnings } = await totalCost(partner, quoteId)
  assert.deepEqual(warnings, ['supply_request_required', 'install_date_dropped'])
  assert.equal(await pricedStart(quoteId), (await dates(quoteId)).earliestDate)
})

test('a selected date that has passed when the quote is repriced is dropped with a warning', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await startHousehold(own, { products })
  const [, second = ''] = (await dates(quoteId, own)).availableDates
  succeeded(await select(quoteId, second, own))
  await advanceClock(own, { days: 60 })
  const cost = await totalCost(own, quoteId)
  assert.deepEqual([cost.QuotePricesUpdated, cost.warnings], [true, ['install_date_dropped']])
  assert.equal(await pricedStart(quoteId, own), (await dates(quoteId, own)).earliestDate)
})

test('a selected date is kept when add-ons are added, and forgotten when broadband is removed', async () => {
  const { quoteId } = await startHousehold(partner, { products })
  const [, second = ''] = (await dates(quoteId)).availableDates
  succeeded(await select(quoteId, second))
  await addBroadband(partner, quoteId, ['static-ip'])
  assert.equal(await pricedStart(quoteId), second)
  succeeded(await partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds: ['gas-standard'] }))
  assert.deepEqual((await totalCost(partner, quoteId)).warnings, [])
  await addBroadband(partner, quoteId, products)
  assert.equal((await dates(quoteId)).selectedDate, null)
})

test('the earliest date that the API lists is the start in the price, also after the contract start has moved', async () => {
  const { quoteId, lead } = await startHousehold(partner, { products })
  for (const contractStartDate of ['2027-01-14', '2027-05-03', '2026-12-20']) {
    succeeded(await finalise(partner, lead, { contractStartDate }))
    const { earliestDate, availableDates } = await dates(quoteId)
    assert.equal(earliestDate, availableDates[0])
    assert.equal(await pricedStart(quoteId), earliestDate)
    succeeded(await select(quoteId, earliestDate))
  }
})

test('a day after the end of the contract is neither listed nor selectable', async () => {
  const term = { contractStartDate: '2026-12-15', contractEndDate: '2027-01-14' }
  const { quoteId } = await startHousehold(partner, { products, ...term })
  const { availableDates } = await dates(quoteId)
  assert.ok(availableDates.every((date) => date <= '2027-01-14'))
  const longer = await startHousehold(partner, { products, contractStartDate: '2026-12-15' })
  const later = (await dates(longer.quoteId)).availableDates.find((date) => date > '2027-01-14')
  assert.ok(later !== undefined, 'the provider offers a day that is too late for the shorter contract')
  assertProblem(await select(quoteId, later), 'install_date_not_available', ['/date install_date_not_available'])
})

test('on a locked quote, the earliest date stays the agreed start, whatever the provider offers later', async () => {
  const own = await connectNewPartner(service)
  const { quoteId } = await createActiveQuote(own, { products })
  const start = await pricedStart(quoteId, own)
  await advanceClock(own, { days: 13 })
  const { earliestDate, availableDates } = await dates(quoteId, own)
  assert.deepEqual([earliestDate, availableDates[0]], [start, start])
  assert.ok(availableDates.length > 1)
})

const read = (quoteId: string) => partner.get(`/Quotes/${quoteId}/get-bb-install-dates`)

/** The simulated provider's install dates for a contract with the default dates. */
function diaryOf(uprn: string): string[] {
  return installDates({ uprn, orderDate: isoDate('2026-12-01'), from: isoDate('2027-01-13') }, bankHolidays)
}

/** An ordinary property for which the provider has install dates. */
function homeWithDiary() {
  for (let index = 0; ; index += 1) {
    const home = ordinaryProperty(index)
    if (diaryOf(home.uprn).length > 0) return home
  }
}

test('if the provider has install dates, they are working days on or after the contract start, and the first is earliestDate', async () => {
  const { addressUid, uprn } = homeWithDiary()
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

const today = isoDate('2026-12-01')
const contractStartDate = isoDate('2026-12-20')
const property = { uprn: '990000000001', postcode: 'TE5 7AA', country: 'Scotland' }
const asked = { property, productIds: ['line', 'mesh'], today, contractStartDate }

function provider(listInstallDates: HomeTelecom['listInstallDates']): HomeTelecom {
  return { listInstallDates, listProducts: () => Promise.reject(new Error('not called in this test')) }
}
const offering = (...dates: string[]) => provider(async () => dates.map(isoDate))
const fallback = (country: 'scotland' | 'england-and-wales') =>
  fallbackInstallDates({ today, contractStartDate, division: country, holidays: bankHolidays })

test("the provider's dates are returned sorted and without duplicates, and none is before the contract starts", async () => {
  const homeTelecom = offering('2027-01-05', '2026-12-19', '2026-12-21', '2027-01-05')
  const dates = await findInstallDates({ homeTelecom, bankHolidays }, asked)
  assert.deepEqual(dates, ['2026-12-21', '2027-01-05'])
})

test('no install date before tomorrow is offered for a contract that starts today', async () => {
  const homeTelecom = offering('2026-11-30', '2026-12-01', '2026-12-02')
  const dates = await findInstallDates({ homeTelecom, bankHolidays }, { ...asked, contractStartDate: today })
  assert.deepEqual(dates, ['2026-12-02'])
})

test("the request to the provider contains the products, today's date and the earliest date", async () => {
  const requests: InstallationRequest[] = []
  const homeTelecom = provider(async (_home, request) => {
    requests.push(request)
    return [contractStartDate]
  })
  await findInstallDates({ homeTelecom, bankHolidays }, asked)
  assert.deepEqual(requests, [{ productIds: ['line', 'mesh'], orderDate: today, earliest: contractStartDate }])
})

test("without a usable date or a provider, dates are working days in the property's nation", async () => {
  const down = provider(() => Promise.reject(new UpstreamFailure('home-telecom', 'timeout', 'took too long')))
  const none: HomeTelecom[] = [offering(), offering('2026-12-03'), down]
  for (const homeTelecom of none) {
    const scottish: IsoDate[] = await findInstallDates({ homeTelecom, bankHolidays }, asked)
    assert.deepEqual(scottish, fallback('scotland'))
    const english = await findInstallDates(
      { homeTelecom, bankHolidays },
      { ...asked, property: { ...property, country: 'England' } },
    )
    assert.deepEqual(english, fallback('england-and-wales'))
  }
})

test('a bug in this program that surfaces during a call is not treated as a failure of the provider', async () => {
  const homeTelecom = provider(() => Promise.reject(new TypeError('a bug')))
  await assert.rejects(findInstallDates({ homeTelecom, bankHolidays }, asked), /a bug/)
})
