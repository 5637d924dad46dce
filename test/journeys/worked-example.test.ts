import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { onboard, personalInformation, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { assertContains, readContracts, withoutWhiteSpace } from './documents.ts'

// The worked example of the payment schedule, with every figure calculated by hand. It uses the rate card of October to
// December 2026, GB average, 2,500 and 9,500 kWh, and broadband at 3,000 a month with a set-up fee of 1,000, all from
// the contract's first day. Three tenants in England are billed on the 1st. The price and the schedules are requested
// on 20 December 2026.

const product = {
  productId: 'line-30',
  name: 'Line Thirty',
  kind: 'line',
  downloadMbps: 100,
  uploadMbps: 20,
  normalDownloadMbps: 95,
  minimumDownloadMbps: 50,
  monthlyPricePence: 3_000,
  setupPricePence: 1_000,
}
const telecom = createServer((request, response) => {
  const answer = request.url?.startsWith('/v1/products')
    ? { products: [product] }
    : { dates: ['2027-01-15', '2027-01-18', '2027-01-19'] }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
await new Promise<void>((resolve) => telecom.listen(0, '127.0.0.1', resolve))
const service = await startTestService(
  { HOME_TELECOM_URL: `http://127.0.0.1:${(telecom.address() as AddressInfo).port}` },
  { clock: movableClock('2026-12-20T09:00:00Z') },
)
after(async () => {
  await service.stop()
  telecom.closeAllConnections()
  telecom.close()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const { quoteId, tenants } = await startHousehold(partner, {
  postcode: 'NR4 7TJ',
  packages: ['electricity', 'gas', 'broadband'],
  products: [product.productId],
  tenants: 3,
  contractStartDate: '2027-01-15',
  contractEndDate: '2028-01-14',
})

/** The figures of a cost object, always in the same order. */
const figures = (cost: Record<string, unknown>) => [
  cost.weeklyCost,
  cost.monthlyCost,
  cost.yearlyCost,
  cost.totalCost,
  cost.totalNet,
  cost.totalVat,
  cost.setupCost,
  cost.setupNet,
  cost.setupVat,
]

test('the household costs what the example says, product by product', async () => {
  const cost = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.equal(cost.QuotePricesUpdated, false)
  assert.deepEqual(
    cost.lines.map((line) => [line.name, line.startDate, line.endDate, ...figures(line)]),
    [
      // 2,500 × 26.32 p + 365 × 54.83 p; no VAT for 76 days, 5 % for 289: 85,812.95 + 3,397.26.
      ['Standard electricity', '2027-01-15', '2028-01-14', 1_716, 7_434, 89_210, 89_210, 85_813, 3_397, 0, 0, 0],
      // 9,500 × 7.97 p + 365 × 29.68 p, including 5 % VAT: 86,548.20, of which 4,121.34 is VAT.
      ['Standard gas', '2027-01-15', '2028-01-14', 1_664, 7_212, 86_548, 86_548, 82_427, 4_121, 0, 0, 0],
      // 12 × 3,000, of which a sixth is VAT; the set-up's VAT is 166.67.
      ['Line Thirty', '2027-01-15', '2028-01-14', 692, 3_000, 36_000, 37_000, 30_833, 6_167, 1_000, 833, 167],
    ],
  )
  assert.deepEqual(figures(cost), [4_072, 17_646, 211_758, 212_758, 199_073, 13_685, 1_000, 833, 167])
  assert.deepEqual(cost.lines[0]?.vatRates, [
    { rate: 0, from: '2027-01-15', to: '2027-03-31' },
    { rate: 0.05, from: '2027-04-01', to: '2028-01-14' },
  ])
})

// Odd pence go to the tenants in turn, continuing from line to line. In the totals, electricity leaves two odd pence
// (first and second tenant), gas one (third tenant) and broadband one (first tenant).
const shares = [
  { week: 1_358, total: 70_920, setup: 334, lines: [29_737, 28_849, 12_334] },
  { week: 1_357, total: 70_919, setup: 333, lines: [29_737, 28_849, 12_333] },
  { week: 1_357, total: 70_919, setup: 333, lines: [29_736, 28_850, 12_333] },
]

test("each tenant owes what the example says, in the tenant's own cost and in the breakdown of the total", async () => {
  const { costBreakdown } = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  for (const [index, { week, total, setup, lines }] of shares.entries()) {
    const own = succeeded(await partner.get(`/Customers/${tenants[index]}/total-cost`))
    for (const cost of [own, costBreakdown[index]])
      assert.deepEqual(
        [cost?.weeklyCost, cost?.monthlyCost, cost?.yearlyCost, cost?.totalCost, cost?.setupCost],
        [week, 5_882, 70_586, total, setup],
      )
    assert.deepEqual(
      own.packages.map(({ totalCost }) => totalCost),
      lines,
    )
    assert.deepEqual(
      own.packages.map(({ monthlyCost }) => monthlyCost),
      [2_478, 2_404, 1_000],
    )
  }
})

test('each tenant pays what the example says, before and after accepting the terms, and the documents agree', async () => {
  for (const [index, { total, setup }] of shares.entries()) {
    const tenant = tenants[index] ?? ''
    const email = `tenant${index}@example.com`
    succeeded(
      await partner.post(
        `/Customers/${tenant}/finalise-personal-information`,
        personalInformation({ email, supplyDuringCancellation: true }),
      ),
    )
    const read = async () => succeeded(await partner.get(`/Customers/${tenant}/payment-schedules`)).paymentSchedule
    const { payments, ...rest } = await read()
    assert.deepEqual(rest, {
      monthlyAmount: 5_882,
      setupAmount: setup,
      billingCycle: 'monthly',
      nextPaymentDate: '2027-02-01',
      refund: null,
      refunds: [],
    })
    // 17 of January's 31 days at 5,882 a month cost 3,225.61. The first payment also covers February and the set-up
    // fee.
    const first = 3_226 + 5_882 + setup
    assert.equal(first, index === 0 ? 9_442 : 9_441)
    assert.deepEqual(
      payments.map(({ date, amount, kind }) => [date, amount, kind]),
      [
        ['2027-02-01', first, 'first'],
        ['2027-03-01', 5_882, 'monthly'],
        ['2027-04-01', 5_882, 'monthly'],
        // Saturday 1 May; Monday 3 May is the early May holiday.
        ['2027-05-04', 5_882, 'monthly'],
        ['2027-06-01', 5_882, 'monthly'],
        ['2027-07-01', 5_882, 'monthly'],
        // Sunday 1 August.
        ['2027-08-02', 5_882, 'monthly'],
        ['2027-09-01', 5_882, 'monthly'],
        ['2027-10-01', 5_882, 'monthly'],
        ['2027-11-01', 5_882, 'monthly'],
        ['2027-12-01', 5_882, 'monthly'],
        // 1 January 2028 is a Saturday, so Monday 3 January is a bank holiday instead.
        ['2028-01-04', 2_658, 'last'],
      ],
    )
    assert.equal(first + 10 * 5_882 + 2_658, total)
    await onboard(partner, tenant, { email, supplyDuringCancellation: true })
    assert.deepEqual((await read()).payments, payments)
    assertContains(
      await readContracts(partner, tenant),
      [
        '£58.82 per month',
        `It is £709.${index === 0 ? 20 : 19} for the whole contract`,
        `£94.${index === 0 ? 42 : 41} on 1 February 2027`,
        'The last, £26.58, is on 4 January 2028.',
        'Total£176.46£2,127.58',
        '2,500 kWh26.32p54.83p',
        '9,500 kWh7.97p29.68p',
        'split equally between the 3 tenants',
        'Download 100 Mbps Upload 20 Mbps Normally available 95 Mbps download.',
        'Minimum 50 Mbps download.',
      ].map(withoutWhiteSpace),
    )
  }
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'completed')
})
