import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../platform/kernel/errors.ts'
import { importColumns, readImportRow } from './import-row.ts'
import { readCsvHeader } from './row-reader.ts'

const good = {
  addressLine1: '1 High Street',
  addressLine2: '',
  city: 'Norwich',
  county: 'Norfolk',
  country: 'England',
  postCode: 'NR4 7TJ',
  uprn: '100023336956',
  mpan: '1012345678903',
  mprn: '3938424403',
}

function problemsOf(change: Partial<typeof good>) {
  const row = readImportRow({ ...good, ...change })
  return 'problems' in row ? row.problems : []
}

test('a valid row is read as a property', () => {
  const row = readImportRow(good)
  assert.ok('row' in row)
  const { postCode, ...rest } = good
  const { addressUid, ...property } = row.row
  assert.match(addressUid, /^address_/)
  assert.deepEqual(property, { ...rest, postcode: postCode, meter: null })
})

test('untidy spacing and letter case in a row are normalised', () => {
  const row = readImportRow({
    ...good,
    addressLine1: ' Flat 2,\r\n14  High\tStreet ',
    country: 'SCOTLAND',
    postCode: ' kY169aj',
    uprn: ' 000123456789 ',
    mpan: '18 0002 1679 848',
    mprn: ' ',
  })
  assert.ok('row' in row)
  const { addressLine1, country, postcode, uprn, mpan, mprn } = row.row
  assert.deepEqual([addressLine1, country, postcode], ['Flat 2, 14 High Street', 'Scotland', 'KY16 9AJ'])
  assert.deepEqual([uprn, mpan, mprn], ['123456789', '1800021679848', null])
})

test('reading a row with one invalid field returns the column and the reason', () => {
  const cases: [Partial<typeof good>, RegExp][] = [
    [{ addressLine1: ' ' }, /^is missing$/],
    [{ addressLine1: 'x'.repeat(201) }, /longer than 200/],
    [{ addressLine2: 'a\u0007b' }, /control character/],
    [{ addressLine2: 'Caf\ufffd' }, /UTF-8/],
    [{ city: '' }, /^is missing$/],
    [{ county: 'x'.repeat(101) }, /longer than 100/],
    [{ country: 'Northern Ireland' }, /England, Wales, Scotland/],
    [{ postCode: 'nowhere' }, /not a postcode/],
    [{ postCode: 'BT7 1NN' }, /not served/],
    [{ uprn: '' }, /1 to 12 digits/],
    [{ uprn: '0000' }, /not all zero/],
    [{ uprn: '1234567890123' }, /1 to 12 digits/],
    [{ uprn: '1.00023E+11' }, /spreadsheet/],
    [{ mpan: '1800021679847' }, /check digit/],
    [{ mpan: '18000' }, /13 digits/],
    [{ mpan: '1.80002E+12' }, /spreadsheet/],
    [{ mprn: '3938424404' }, /check digits/],
    [{ mprn: '12' }, /6 to 10 digits/],
  ]
  for (const [change, reason] of cases) {
    const problems = problemsOf(change)
    assert.deepEqual(
      problems.map(({ column }) => column),
      Object.keys(change),
    )
    assert.match(problems[0]?.reason ?? '', reason)
  }
})

test('reading a row with several invalid fields returns a problem for each of them', () => {
  const problems = problemsOf({ city: '', postCode: '', mpan: '1', mprn: '2' })
  assert.deepEqual(
    problems.map(({ column }) => column),
    ['city', 'postCode', 'mpan', 'mprn'],
  )
})

test('fields are found by column name, whatever the order of the columns', () => {
  const reversed = [...importColumns].reverse()
  const read = readCsvHeader(
    importColumns,
    reversed.map((name) => ` ${name} `),
  )
  assert.deepEqual(read(reversed.map((name) => good[name])), good)
})

test('a header with unknown, repeated or missing columns is rejected, and the message names them', () => {
  const header = ['postcode', 'uprn', 'uprn', ...importColumns.filter((name) => name !== 'uprn' && name !== 'postCode')]
  assert.throws(
    () => readCsvHeader(importColumns, header),
    (error) => {
      assert.ok(error instanceof DomainError)
      assert.match(error.message, /unknown column "postcode"; repeated column "uprn"; missing column "postCode"\./)
      return true
    },
  )
})
