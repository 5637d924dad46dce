import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type IsoDate, isoDate } from '../../platform/kernel/dates.ts'
import {
  decideQuestion,
  type EndStatement,
  endEvidences,
  endSources,
  independentSources,
  lastDayToAnswer,
  wordOfSupplier,
} from './household-end.ts'

const [june, july] = [isoDate('2027-06-30'), isoDate('2027-07-31')]
const tenant = (number: number, more: Partial<EndStatement> = {}): EndStatement => ({
  ...{ source: 'tenant', tenantId: `tenant_${number}`, lastDay: june, evidence: null },
  ...{ email: `sam${number}@example.com`, browser: `browser ${number}` },
  ...more,
})
const office = (source: 'partner' | 'operator' = 'partner', more: Partial<EndStatement> = {}): EndStatement => ({
  ...{ source, tenantId: null, lastDay: june, evidence: 'tenants_notice' },
  ...more,
})
const supplier: EndStatement = { ...office(), source: 'supplier', evidence: null }
const question = { customerId: 'tenant_9', lastDay: june, isHousehold: true, closesOn: june } as const
const silent = { ...question, answer: null, otherDay: null } as const
const known = { isJointAssuredInEngland: true, wasReached: true, hasPaidForLater: false }

test('silence ends a contract only in a joint assured tenancy in England, on the word of two independent sources', () => {
  for (const [statements, ends] of [
    [[], false],
    [[tenant(1)], false],
    [[office()], false],
    [[supplier], false],
    [[tenant(1), tenant(2)], true],
    [[tenant(1), office()], true],
    [[tenant(1), office('operator')], true],
    [[tenant(1), supplier], true],
    [[office(), supplier], true],
    // Agent and operator have the same papers, and a word without evidence is none.
    [[office(), office('operator')], false],
    [[tenant(1), office('partner', { evidence: null })], false],
    // The silent tenant, another day, one person behind two names.
    [[tenant(1), tenant(9)], false],
    [[tenant(1), tenant(2, { lastDay: july })], false],
    [[tenant(1), tenant(1)], false],
    [[tenant(1), tenant(2, { browser: 'browser 1' })], false],
    [[tenant(1), tenant(2, { email: 'SAM1+flat@example.com' })], false],
    [[tenant(1, { email: 's.am@gmail.com' }), tenant(2, { email: 'sam@googlemail.com' })], false],
    [[tenant(1), tenant(2, { email: 'sam1@example.com' }), tenant(3, { browser: 'browser 2' })], false],
    [[tenant(1, { browser: null }), tenant(2, { browser: null })], true],
  ] as const) {
    const expected = ends ? { outcome: 'ended', lastDay: june } : { outcome: 'asked_operator' }
    assert.deepEqual(decideQuestion(silent, { ...known, statements }), expected, JSON.stringify(statements))
    for (const doubt of [{ isJointAssuredInEngland: false }, { wasReached: false }, { hasPaidForLater: true }])
      assert.deepEqual(decideQuestion(silent, { ...known, statements, ...doubt }), { outcome: 'asked_operator' })
  }
})

test('an answer decides for who gave it, whatever others said', () => {
  const statements = [tenant(1), tenant(2), office(), supplier]
  for (const each of [statements, []])
    for (const [answer, otherDay, expected] of [
      ['stays', null, { outcome: 'continues' }],
      ['leaves', null, { outcome: 'ended', lastDay: june }],
      ['other_day', july, { outcome: 'ended', lastDay: july }],
    ] as const)
      assert.deepEqual(decideQuestion({ ...question, answer, otherDay }, { ...known, statements: each }), expected)
})

test("silence about a partner's word on one tenant ends the contract when it closes, if the e-mail was sent", () => {
  const about = { ...silent, isHousehold: false, closesOn: july }
  assert.deepEqual(decideQuestion(about, { ...known, statements: [] }), { outcome: 'ended', lastDay: july })
  const unreached = { ...known, statements: [], wasReached: false }
  assert.deepEqual(decideQuestion(about, unreached), { outcome: 'asked_operator' })
})

test('answers count until the stated day, and at least 14 days from the e-mail, 7 about one tenant', () => {
  const days: [IsoDate, boolean, string][] = [
    [isoDate('2027-06-20'), true, '2027-07-04'],
    [isoDate('2027-06-20'), false, '2027-06-30'],
    [isoDate('2027-06-25'), false, '2027-07-02'],
    [isoDate('2027-06-16'), true, '2027-06-30'],
  ]
  for (const [asked, isHousehold, expected] of days) assert.equal(lastDayToAnswer(june, asked, isHousehold), expected)
})

test('a supplier that has somebody else as the occupier from soon after the stated day is a source', () => {
  for (const [from, expected] of [
    [[null], 0],
    [[], 0],
    [[june], 0],
    [[null, isoDate('2027-07-01')], 1],
    [[july], 1],
    [[isoDate('2027-08-01')], 0],
  ] as const)
    assert.equal(independentSources(wordOfSupplier(june, from)), expected, JSON.stringify(from))
})

const anyStatement: fc.Arbitrary<EndStatement> = fc
  .record({
    source: fc.constantFrom(...endSources, 'supplier' as const),
    tenantId: fc.constantFrom('tenant_1', 'tenant_2', 'tenant_3', 'tenant_9' as const),
    lastDay: fc.constantFrom(june, july),
    evidence: fc.option(fc.constantFrom(...endEvidences)),
    email: fc.constantFrom('a@example.com', 'b@example.com', 'a+x@example.com'),
    browser: fc.option(fc.constantFrom('one', 'two')),
  })
  .map((each) => (each.source === 'tenant' ? each : { ...each, tenantId: null }))

test('any statements: one person, or one office, never ends the contract of somebody who is silent', () => {
  fc.assert(
    fc.property(fc.array(anyStatement, { maxLength: 8 }), (statements) => {
      const decided = decideQuestion(silent, { ...known, statements })
      const others = statements.filter(({ tenantId, lastDay }) => tenantId !== 'tenant_9' && lastDay === june)
      const tenants = new Set(others.filter(({ source }) => source === 'tenant').map(({ tenantId }) => tenantId))
      const kinds = new Set(others.map(({ source }) => (source === 'operator' ? 'partner' : source)))
      if (tenants.size < 2 && kinds.size < 2) assert.equal(decided.outcome, 'asked_operator')
      if (decided.outcome === 'ended') assert.equal(decided.lastDay, june)
      // Another statement never makes sources fewer but by showing that two tenants are one.
      const counted = independentSources(others)
      assert.ok(counted <= tenants.size + 2)
      assert.ok(independentSources([...others, supplier]) >= counted)
    }),
  )
})
