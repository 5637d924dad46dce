import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { startCommission } from '../back-office/start-commission.ts'
import { succeeded } from '../support/responses.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'

const commission = await startCommission()
after(() => commission.stop())
const { service, operator, record, newPartner } = commission
const run = (...args: string[]) => housebill(args, service.environment)

const Terms = Type.Object(
  {
    termNumber: Type.Integer(),
    firstDay: Type.String(),
    kind: Type.String(),
    tiers: Type.Array(Type.Unknown()),
    recordedAt: Type.String(),
  },
  { additionalProperties: false },
)

test('terms are added and listed by command as by the operator API', async () => {
  const { partnerId, listTerms } = await newPartner()
  const none = await run('partner', 'commission', partnerId)
  assertSucceeded(none)
  assert.match(none.stdout, /earns no commission/)
  const added = await run(
    'partner',
    'add-commission',
    partnerId,
    '--from',
    '2027-01-01',
    '--rates',
    '20:2.5%,3000p',
    '--json',
  )
  assertSucceeded(added)
  const terms = added.json(Terms)
  assert.deepEqual(
    [terms.kind, terms.tiers],
    [
      'tiers',
      [
        { upTo: 20, basisPoints: 250, amount: null },
        { upTo: null, basisPoints: null, amount: 3_000 },
      ],
    ],
  )
  assert.deepEqual(await listTerms(), [terms])
  const listed = await run('partner', 'commission', partnerId, '--json')
  assertSucceeded(listed)
  assert.deepEqual(listed.json(Type.Array(Terms)), [terms])
  const table = await run('partner', 'commission', partnerId)
  assert.match(table.stdout, /2027-01-01 +2\.5 % up to the contract number 20 of a month, then £30\.00 /)
})

test('a statement is printed in every format, and a month is closed once it is over', async () => {
  const { partnerId, sell, advance, total } = await newPartner()
  const added = await run('partner', 'add-commission', partnerId, '--from', '2026-01-01', '--rates', '2.5%')
  assertSucceeded(added)
  assert.match(added.stdout, /^Contracts that take effect from 2026-01-01 on earn 2\.5 %\.$/m)
  await sell()
  await advance(15)
  await record()
  const report = (...args: string[]) =>
    run('report', 'commission', '--month', '2026-12', '--partner', partnerId, ...args)
  const query = `month=2026-12&partnerId=${partnerId}`
  for (const format of ['csv', 'json', 'ndjson']) {
    const printed = await report('--format', format)
    assertSucceeded(printed)
    const path = `/Reports/commission/export?${query}&format=${format}`
    assert.equal(printed.stdout, (await operator.get(path)).text, format)
  }
  const asJson = await report('--json')
  assertSucceeded(asJson)
  assert.deepEqual(asJson.json(), { month: '2026-12', totals: [await total('2026-12')] })
  assert.match((await report()).stdout, / 1 +£\d+\.\d\d +0 +£0\.00 +£\d+\.\d\d +open$/m)
  assert.match(
    (await run('report', 'commission', '--month', '2020-01')).stdout,
    /^No partner has earned commission in 2020-01\.$/m,
  )

  const closeMonth = (month: string, ...args: string[]) =>
    run('partner', 'close-commission', partnerId, '--month', month, ...args)
  const close = (...args: string[]) => closeMonth('2026-12', ...args)
  assertFailedAsJson(await closeMonth('2199-12', '--json'), 'commission_month_open')
  await advance(60)
  const closed = await close('--json')
  assertSucceeded(closed)
  assert.deepEqual(closed.json(), { partnerId, month: '2026-12' })
  assertSucceeded(await close())
  assert.match((await report()).stdout, / closed \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m)
  succeeded(await operator.get(`/Reports/commission?${query}`))
})

test('wrong values and unknown partners are rejected', async () => {
  const { partnerId } = await newPartner()
  for (const rates of ['', '3', '2.555%', '30.5p', '101%', '2%,3%', '5:2%', '5:2%,5:3%,4%', '0:2%,3%', '-1p']) {
    const failed = await run('partner', 'add-commission', partnerId, '--from', '2027-01-01', `--rates=${rates}`)
    assert.equal(failed.code, 2, rates)
    assert.match(failed.stderr, /Must be a rate such as/)
  }
  assert.equal((await run('partner', 'add-commission', partnerId, '--from', '2027-02-30', '--rates', '2%')).code, 2)
  assert.equal((await run('report', 'commission', '--month', '2027-13')).code, 2)
  assertFailed(await run('partner', 'commission', 'nobody'), /There is no partner nobody\./)
})
