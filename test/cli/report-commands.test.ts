import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { londonDate } from '../../src/platform/kernel/dates.ts'
import { connectPartner } from '../support/client.ts'
import { connectOperator } from '../support/operator.ts'
import { createCompletedQuote, createQuote, totalCost } from '../support/quote-fixtures.ts'
import { startTestService } from '../support/service.ts'
import { assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const run = (...args: string[]) => housebill(['report', 'funnel', ...args], service.environment)
const today = londonDate(new Date())

const Report = Type.Object({
  asOf: Type.String(),
  from: Type.String(),
  to: Type.String(),
  days: Type.Array(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
})

test('report funnel prints the same figures as a table, as CSV, as JSON and by the API, and says when they were counted', async () => {
  await createQuote(partner)
  const { quoteId } = await createCompletedQuote(partner)
  const { totalCost: value } = await totalCost(partner, quoteId)
  const counted = await run('--json')
  assertSucceeded(counted)
  const { from, to, days } = counted.json(Report)
  assert.ok(to === today && from < to)
  const [day, ...others] = days
  assert.ok(day !== undefined && others.length === 0)
  const { date, quotes, priced, inForce, value: sold, partnerId } = day
  assert.deepEqual([date, quotes, priced, inForce, sold], [today, 2, 1, 1, value])

  const api = await connectOperator(service)
  const exported = await api.get('/Reports/funnel/export')
  const csv = await run('--format', 'csv')
  assert.equal(csv.code, 0)
  assert.equal(csv.stdout, exported.text)
  assert.match(csv.stderr, /^Counted at \d{4}-\d\d-\d\d \d\d:\d\d UTC/m)
  assert.deepEqual(JSON.parse((await run('--format', 'json', '--partner', String(partnerId))).stdout), [day])

  const table = await run()
  assert.equal(table.code, 0)
  assert.match(table.stdout, /DATE +PARTNER +QUOTES +PRICED .* VALUE/)
  const pounds = (value / 100).toLocaleString('en-GB', { style: 'currency', currency: 'GBP' })
  assert.ok(table.stdout.includes(pounds), table.stdout)
})

test('report funnel says so if there is nothing on these days, and which option is wrong', async () => {
  const nothing = await run('--from', '2020-01-01', '--to', '2020-01-31')
  assert.equal(nothing.code, 0)
  assert.match(nothing.stdout, /^No quotes were created on these days\./)
  const long = await run('--from', '2020-01-01', '--to', '2026-01-31', '--json')
  assertFailedAsJson(long, 'validation_failed')
  assert.match(long.stderr, /at most 365 days before to/)
  assertFailedAsJson(await run('--partner', 'partner_01h455vb4pex5vsknk084sn02q', '--json'), 'validation_failed')
  assert.equal((await run('--from', '31 January')).code, 2)
})
