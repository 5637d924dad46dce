import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { sql } from '../../src/platform/db/sql.ts'
import { databaseMeterPointSource } from '../../src/properties/address-suppliers/address-database.ts'
import { propertiesAt } from '../../src/properties/address-suppliers/supplied-properties.ts'
import { importMeterPoints } from '../../src/properties/meter-points/import-meter-points.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../src/properties/meter-points/meter-points.ts'
import { createCachedAddresses, postcode, suppliedProperty } from './cached-addresses-fixture.ts'

const { database, addresses, supply } = await createCachedAddresses(60_000)
const { connectionString } = database
const folder = await mkdtemp(join(tmpdir(), 'housebill-meters-'))
beforeEach(() => database.query(sql`delete from meter_points`))
after(() => rm(folder, { recursive: true, force: true }))

const mpan = mpanWithCheckDigit('101234567890')
const otherMpan = mpanWithCheckDigit('201234567890')
const mprn = mprnWithCheckDigits('39384244')
const none = {
  rows: 0,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  rejectedRows: 0,
  rejected: [],
  problems: 0,
  conflictingRows: 0,
  sharedMeterPoints: [],
}

async function importText(text: string) {
  const path = join(folder, 'meters.csv')
  await writeFile(path, text)
  return importMeterPoints(connectionString, path)
}

/** A supplier's list may pad UPRNs; the adapter reads it as the real one does. */
const asSupplied = ({
  addressLine1,
  addressLine2,
  city,
  county,
  country,
  uprn,
}: ReturnType<typeof suppliedProperty>) => {
  const [property] = propertiesAt(postcode, [
    { lines: [addressLine1, addressLine2], city, county, country, postcode, uprn },
  ])
  assert.ok(property !== undefined)
  return property
}

const metersOf = async () =>
  (await addresses.findByPostcode(postcode)).map((found) => [found.uprn, found.mpan, found.mprn])

test('a meter-point file sets the meters of properties, whether it is imported before or after their lookup', async () => {
  assert.deepEqual(await importText(`uprn,mpan,mprn\n1,${mpan},${mprn}\n`), { ...none, rows: 1, inserted: 1 })
  supply([suppliedProperty('1'), suppliedProperty('2'), suppliedProperty('3')])
  assert.deepEqual(await metersOf(), [
    ['1', mpan, mprn],
    ['2', null, null],
    ['3', null, null],
  ])
  await importText(`mprn,uprn,mpan\n,2,${otherMpan}\n`)
  assert.deepEqual(await metersOf(), [
    ['1', mpan, mprn],
    ['2', otherMpan, null],
    ['3', null, null],
  ])
  const [, second] = await addresses.findByPostcode(postcode)
  assert.equal((await addresses.findByUid(second?.addressUid ?? ''))?.mpan, otherMpan)
})

test('a row counts as unchanged if imported again, and as updated if imported without a meter', async () => {
  const file = (gas: string) => `uprn,mpan,mprn\r\n1,${mpan},${gas}\r\n2,${otherMpan},\r\n`
  await importText(file(mprn))
  assert.deepEqual(await importText(file(mprn)), { ...none, rows: 2, unchanged: 2 })
  assert.deepEqual(await importText(file('')), { ...none, rows: 2, updated: 1, unchanged: 1 })
  supply([suppliedProperty('1')])
  assert.deepEqual(await metersOf(), [['1', mpan, null]])
})

test('facts in a meter-point file stay where a later file says nothing of them', async () => {
  const factsOf = async () => (await addresses.findByPostcode(postcode)).map(({ meter }) => meter)
  supply([suppliedProperty('1'), suppliedProperty('2')])
  await importText(`uprn,mpan,mprn,registers\n1,${mpan},,two_rate\n`)
  assert.deepEqual(await factsOf(), [{ registers: 'two_rate' }, null])
  await importText(`uprn,mpan,mprn,meterPayment\n1,${mpan},,credit\n`)
  await importText(`uprn,mpan,mprn\n1,${mpan},${mprn}\n`)
  assert.deepEqual(await factsOf(), [{ registers: 'two_rate', payment: 'credit' }, null])
})

test('leading zeros in a UPRN, whether in the file or from the supplier, do not change the property it identifies', async () => {
  await importText(`uprn,mpan,mprn\n000000000012,${mpan},\n13,,${mprn}\n`)
  supply([suppliedProperty('12'), suppliedProperty('0000000013'), suppliedProperty('14')].map(asSupplied))
  assert.deepEqual(await metersOf(), [
    ['12', mpan, null],
    ['13', null, mprn],
    ['14', null, null],
  ])
})

test('an import rejects unusable rows, naming line and column, and stores the others', async () => {
  const rows = [
    `1,${mpan},${mprn}`,
    `2,${mpan.slice(0, 12)}${(Number(mpan.at(-1)) + 1) % 10},`,
    `x,,${mprn}1`,
    `1,${otherMpan},`,
    '4,1.01235E+12,',
    '5,too,many,fields',
    `6,${otherMpan},`,
  ]
  const result = await importText(`uprn,mpan,mprn\n${rows.join('\n')}\n`)
  assert.deepEqual([result.rows, result.inserted, result.rejectedRows, result.conflictingRows], [7, 1, 6, 2])
  assert.deepEqual(
    result.rejected.map(({ line, column }) => [line, column]),
    [
      [2, 'uprn'],
      [3, 'mpan'],
      [4, 'uprn'],
      [4, 'mprn'],
      [5, 'uprn'],
      [6, 'mpan'],
      [7, null],
    ],
  )
  assert.match(result.rejected[0]?.reason ?? '', /is also on line 5; the lines differ, so none of them was imported/)
  assert.match(result.rejected[4]?.reason ?? '', /is also on line 2; .* solar panels, keep the MPAN for import/)
  assert.match(result.rejected[5]?.reason ?? '', /a spreadsheet rounded it/)
})

test('of a property with two MPANs, none is imported and what is stored stays; a line that only repeats another is ignored', async () => {
  await importText(`uprn,mpan,mprn\n1,${mpan},\n`)
  const solar = await importText(`uprn,mpan,mprn\n1,${mpan},\n0001,${otherMpan},\n2,${mpan},\n2,${mpan},\n`)
  assert.deepEqual(
    [solar.inserted, solar.updated, solar.rejectedRows, solar.conflictingRows, solar.problems],
    [1, 0, 3, 2, 3],
  )
  assert.deepEqual(solar.rejected.at(-1), {
    line: 5,
    column: 'uprn',
    reason: 'is already on line 4; this line was ignored',
  })
  assert.equal((await databaseMeterPointSource(database).findByUprns(['1'])).get('1')?.mpan, mpan)
})

test('a meter point that several properties have is reported, also if the other property was imported before', async () => {
  await importText(`uprn,mpan,mprn\n21,${mpan},${mprn}\n22,${otherMpan},\n`)
  const { sharedMeterPoints } = await importText(`uprn,mpan,mprn\n23,,${mprn}\n24,${mpan},\n`)
  assert.deepEqual(sharedMeterPoints, [
    { kind: 'MPAN', meterPoint: mpan, uprns: ['21', '24'] },
    { kind: 'MPRN', meterPoint: mprn, uprns: ['21', '23'] },
  ])
})

test('an import is rejected and stores nothing if the file is missing or has wrong or no columns', async () => {
  const rejected = { code: 'validation_failed' }
  await assert.rejects(importText(`uprn,mpan\n1,${mpan}\n`), { ...rejected, message: /missing column "mprn"/ })
  await assert.rejects(importText(''), { ...rejected, message: /columns, in any order: uprn,mpan,mprn/ })
  await assert.rejects(importMeterPoints(connectionString, join(folder, 'none.csv')), rejected)
  assert.equal((await databaseMeterPointSource(database).findByUprns(['1'])).size, 0)
})
