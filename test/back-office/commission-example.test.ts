import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tiersOf } from '../../src/back-office/commission/commission.schema.ts'
import {
  clawbackAmount,
  earnedAmount,
  earnedOn,
  unsuppliedDays,
} from '../../src/back-office/commission/commission-entry.ts'
import { rateOf } from '../../src/back-office/commission/commission-terms.ts'
import { daysInPeriod, isoDate } from '../../src/platform/kernel/dates.ts'
import { pence } from '../../src/platform/kernel/money.ts'

const page = readFileSync(new URL('../../docs/operator/commission.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| (\d{4}-\d{4}-\d{4}) \| (.*) \|$/gm)].map(([, number = '', cells = '']) => [
  number,
  ...cells.split(' | '),
])
const [, given = ''] = /--firstDay 2027-01-01 --tiers '(.+)'/.exec(page) ?? []
const tiers = tiersOf({ firstDay: '2027-01-01', tiers: JSON.parse(given) })

test('the figures of the worked example are what the program works out', () => {
  const [clawback, ...none] = rows.filter((row) => row.length === 6)
  const earnings = rows.filter((row) => row.length === 7)
  assert.deepEqual([earnings.length, none.length], [3, 0])
  const amounts = earnings.map(([contract, effectiveOn = '', value, countsOn, number, rate, earned]) => {
    const applying = rateOf(tiers, Number(number))
    assert.equal(earnedOn(isoDate(effectiveOn)), countsOn)
    assert.equal(applying.basisPoints, Number(rate))
    const amount = earnedAmount(applying, { valueNet: pence(Number(value)), termDays: 365, householdDays: 365 })
    assert.equal(amount, Number(earned))
    return { contract, amount }
  })
  const sum = amounts.reduce((before, { amount }) => before + amount, 0)
  assert.ok(page.includes(`The statement of January is ${sum} pence.`))

  const [contract, term = '', endedOn = '', termDays, unsupplied, takenBack] = clawback ?? []
  const [startsOn = '', endsOn = ''] = term.split(' to ')
  const days = { startsOn: isoDate(startsOn), endsOn: isoDate(endsOn), endedOn: isoDate(endedOn) }
  assert.equal(daysInPeriod(days.startsOn, days.endsOn), Number(termDays))
  assert.equal(unsuppliedDays({ status: 'ended', ...days }), Number(unsupplied))
  const earned = amounts.find((each) => each.contract === contract)?.amount ?? assert.fail()
  assert.equal(clawbackAmount(earned, { unsupplied: Number(unsupplied), term: Number(termDays) }), Number(takenBack))
})
