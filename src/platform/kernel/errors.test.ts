import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestName } from './errors.ts'

const known = ['addressUid', 'packages', 'contractStartDate', 'contractEndDate', 'customer.payment.updated']

test('a misspelt name, another spelling convention or a part of a name suggests the known one', () => {
  for (const [given, meant] of [
    ['package', 'packages'],
    ['adressUid', 'addressUid'],
    ['adresUid', 'addressUid'],
    ['address_uid', 'addressUid'],
    ['AddressUID', 'addressUid'],
    ['contract-end-date', 'contractEndDate'],
    ['payment.updated', 'customer.payment.updated'],
  ] as const)
    assert.equal(suggestName(given, known), ` Did you mean ${meant}?`, given)
})

test('a name that is like none of the known ones, or is too short to tell, suggests nothing', () => {
  for (const given of ['colour', 'id', '', '__proto__', 'x'.repeat(100_000)])
    assert.equal(suggestName(given, known), '', given)
  assert.equal(suggestName('package', []), '')
  assert.equal(suggestName('car', ['gas']), '')
  assert.equal(suggestName('holiday', ['id']), '')
})
