import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCommissionTermsRoute } from '../back-office/commission/commission.route.ts'
import { reportMeterReadingRoute } from '../contracts/meter-readings/meter-readings.route.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { checkedBody, fieldsIn, problemsIn } from './checked-body.ts'

const at = { caller: { now: new Date('2027-01-01T12:00:00Z') }, deps: {} as never }

test('a body that lacks a required field does not compile, and is rejected with a pointer', () => {
  // @ts-expect-error: the reading is required.
  const check = () => checkedBody(reportMeterReadingRoute, { service: 'gas', readOn: '2027-01-01' }, at)
  assert.throws(check, (error) => error instanceof DomainError && error.fields[0]?.pointer === '/reading')
})

test('a problem at a place that the body cannot have does not compile, of a partner operation or of the operator', () => {
  // @ts-expect-error: the operation calls it firstDay.
  problemsIn(addCommissionTermsRoute, { '/day': 'Enter the day' })
  // @ts-expect-error: the operation calls it readOn.
  problemsIn(reportMeterReadingRoute, { '/day': 'Enter the day' })
  // @ts-expect-error: the operation calls it readOn.
  fieldsIn(reportMeterReadingRoute, ['/day'])
  assert.deepEqual(fieldsIn(reportMeterReadingRoute, ['/readOn']), { '/readOn': { field: 'readOn' } })
  const found = problemsIn(reportMeterReadingRoute, { '/readOn': 'Enter the day' })
  assert.deepEqual(found, { '/readOn': { field: 'readOn', text: 'Enter the day' } })
})
