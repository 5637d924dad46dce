import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { availabilityResponses } from '../../../src/broadband/broadband-database.http.ts'
import { installDatesResponses, ProductsResponse } from '../../../src/broadband/home-telecom.http.ts'
import { isoDate } from '../../../src/platform/kernel/dates.ts'
import { addWorkingDays, isWorkingDay } from '../../../src/platform/kernel/working-days.ts'
import { findShapeFault } from '../../../src/platform/outbound/upstream.ts'
import { generateSampleProperties } from '../../../src/sandbox/samples/sample-properties.ts'
import { buildBroadbandDatabaseSimulator } from '../../../src/sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../../../src/sandbox/simulators/home-telecom/server.ts'
import { bankHolidays } from '../../broadband/broadband-fixture.ts'

const homeTelecom = buildHomeTelecomSimulator({ bankHolidays, slowMilliseconds: 0 })
const database = buildBroadbandDatabaseSimulator({ slowMilliseconds: 0 })
after(() => Promise.all([homeTelecom.close(), database.close()]))

const faulty = new Set(['home-telecom-down', 'broadband-database-down', 'both-down', 'no-broadband'])
const homes = generateSampleProperties().filter(({ specialCase }) => specialCase === null || !faulty.has(specialCase))

test('every sample property has broadband in both simulators, unless its special case says otherwise', async () => {
  assert.ok(homes.length > 100)
  for (const { uprn, postcode } of homes) {
    const query = { uprn, postcode }
    const products = (await homeTelecom.inject({ url: '/v1/products', query })).json()
    const record = (await database.inject({ url: '/v1/availability', query })).json()
    assert.equal(findShapeFault(ProductsResponse, products), undefined)
    assert.equal(findShapeFault(availabilityResponses[200], record), undefined)
    const speeds = products.products.map((product: { downloadMbps: number }) => product.downloadMbps)
    assert.ok(speeds.filter((speed: number) => speed > 0).length >= 3)
    assert.equal(record.available, true)
    assert.ok(Math.max(...speeds) <= record.maxDownloadMbps)
  }
})

test('a request about an unknown property also gets a response, which is the same every time', async () => {
  const ask = async () =>
    (await homeTelecom.inject({ url: '/v1/products', query: { uprn: '1', postcode: 'E1 6AN' } })).json()
  assert.ok((await ask()).products.length >= 5)
  assert.deepEqual(await ask(), await ask())
})

test("a property's twenty install dates are working days, at least ten working days after the order and not before the requested date", async () => {
  const orderDate = isoDate('2026-12-01')
  let withoutDiary = 0
  for (const from of ['2026-12-02', '2027-03-20']) {
    for (const { uprn, postcode } of homes.slice(0, 60)) {
      const query = { uprn, postcode, productId: ['fibre-67', 'static-ip'], orderDate, from }
      const answer = await homeTelecom.inject({ url: '/v1/install-dates', query })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(findShapeFault(installDatesResponses[200], answer.json()), undefined)
      const dates = answer.json().dates.map(isoDate)
      if (dates.length === 0) {
        withoutDiary += 1
        continue
      }
      assert.equal(new Set(dates).size, 20)
      assert.deepEqual(dates, [...dates].sort())
      assert.ok(dates[0] >= from && dates[0] >= addWorkingDays(orderDate, 10, 'england-and-wales', bankHolidays))
      for (const division of ['england-and-wales', 'scotland'] as const) {
        for (const date of dates) assert.ok(isWorkingDay(date, division, bankHolidays), date)
      }
    }
  }
  assert.ok(withoutDiary > 0 && withoutDiary < 60, `${withoutDiary} of 120 have no install dates`)
})

test('invalid requests are rejected as the contract says', async () => {
  const query = { uprn: '1', postcode: 'E1 6AN', productId: 'fibre-67', orderDate: '2026-12-01', from: '2026-12-02' }
  const rejected = [
    { url: '/v1/products', query: { postcode: 'E1 6AN' }, status: 400 },
    { url: '/v1/products', query: { uprn: 'x', postcode: 'E1 6AN' }, status: 400 },
    { url: '/v1/install-dates', query: { ...query, from: '2026-02-30' }, status: 400 },
    { url: '/v1/install-dates', query: { ...query, productId: 'unknown' }, status: 422 },
    { url: '/elsewhere', query: {}, status: 404 },
  ]
  for (const { url, query: asked, status } of rejected) {
    const answer = await homeTelecom.inject({ url, query: asked })
    assert.equal(answer.statusCode, status, `${url} ${answer.body}`)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
  }
})
