import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HomeTelecom, InstallationRequest } from '../../src/broadband/broadband-providers.ts'
import { findInstallDates } from '../../src/broadband/find-install-dates.ts'
import { type IsoDate, isoDate } from '../../src/platform/kernel/dates.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { fallbackInstallDates } from '../../src/quoting/broadband/schedule-broadband.ts'
import { bankHolidays } from './broadband-fixture.ts'

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
