import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createActiveQuote, createCompletedQuote, getQuote } from '../support/quote-fixtures.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { startTestService } from '../support/service.ts'
import { assertSucceeded, housebill } from './cli-fixture.ts'

const service = await startTestService()
after(() => service.stop())
const overlaps = (...args: string[]) => housebill(['quotes', 'overlaps', ...args], service.environment)
const Overlaps = Type.Object({
  overlaps: Type.Array(
    Type.Object(
      {
        addressUid: Type.String(),
        mpan: Type.Union([Type.String(), Type.Null()]),
        mprn: Type.Union([Type.String(), Type.Null()]),
        partnerId: Type.String(),
        quoteId: Type.String(),
        startsOn: Type.String(),
        lastDay: Type.String(),
        services: Type.Array(Type.String()),
      },
      { additionalProperties: false },
    ),
  ),
})

test('quotes overlaps lists, with ids only, the quotes of all partners that cover the same property on the same days', async () => {
  const [one, two] = [await connectNewPartner(service), await connectNewPartner(service)]
  const completed = await createCompletedQuote(one)
  await startHousehold(two)
  await createActiveQuote(two, { addressUid: ordinaryProperty(1).addressUid })
  const none = await overlaps()
  assertSucceeded(none)
  assert.equal(none.stdout, 'No property is covered twice.\n')

  const active = await createActiveQuote(two)
  const listed = await overlaps('--json')
  assertSucceeded(listed)
  const found = listed.json(Overlaps).overlaps
  const expected = await Promise.all(
    [[one, completed] as const, [two, active] as const].map(async ([partner, { quoteId, addressUid }]) => {
      const { contractStartDate, contractEndDate } = await getQuote(partner, quoteId)
      return {
        addressUid,
        mpan: ordinaryProperty().mpan,
        mprn: ordinaryProperty().mprn,
        quoteId,
        startsOn: contractStartDate,
        lastDay: contractEndDate,
        services: ['electricity', 'gas'],
      }
    }),
  )
  const byQuote = (a: { quoteId: string }, b: { quoteId: string }) => a.quoteId.localeCompare(b.quoteId)
  assert.deepEqual(found.map(({ partnerId: _, ...rest }) => rest).sort(byQuote), expected.sort(byQuote))
  assert.equal(new Set(found.map(({ partnerId }) => partnerId)).size, 2)
  assert.deepEqual((await getQuote(two, active.quoteId)).warnings, [], 'the partners do not learn of each other')
  const printed = await overlaps()
  assert.match(printed.stdout, /^ {2}PROPERTY +PARTNER +QUOTE +FIRST DAY +LAST DAY +SERVICES\n/)
})
