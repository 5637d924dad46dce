import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { databaseMeterPointSource } from '../../src/adapters/meter-point-source/database.ts'
import { importMeterPoints } from '../../src/domain/addresses/meter-points/import-meter-points.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../src/domain/addresses/meter-points/meter-points.ts'
import { createCachedAddresses, postcode, suppliedProperty } from './cached-addresses-fixture.ts'

const { database, addresses, supply } = await createCachedAddresses(60_000)
const folder = await mkdtemp(join(tmpdir(), 'housebill-meters-'))
after(() => rm(folder, { recursive: true, force: true }))

const mpan = mpanWithCheckDigit('101234567890')
const otherMpan = mpanWithCheckDigit('201234567890')
const mprn = mprnWithCheckDigits('39384244')
const none = { rows: 0, inserted: 0, updated: 0, unchanged: 0, rejectedRows: 0, rejected: [], problems: 0 }

async function importText(text: string) {
  const path = join(folder, 'meters.csv')
  await writeFile(path, text)
  return importMeterPoints(database, path)
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

test('leading zeros in a UPRN, whether in the file or in the list, do not change the property it identifies', async () => {
  await importText(`uprn,mpan,mprn\n000000000012,${mpan},\n13,,${mprn}\n`)
  const meters = await databaseMeterPointSource(database).findByUprns(['12', '000013', '14'])
  assert.deepEqual(
    [...meters],
    [
      ['12', { mpan, mprn: null }],
      ['000013', { mpan: null, mprn }],
    ],
  )
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
  assert.deepEqual([result.rows, result.inserted, result.rejectedRows], [7, 2, 5])
  assert.deepEqual(
    result.rejected.map(({ line, column }) => [line, column]),
    [
      [3, 'mpan'],
      [4, 'uprn'],
      [4, 'mprn'],
      [5, 'uprn'],
      [6, 'mpan'],
      [7, null],
    ],
  )
  assert.match(result.rejected[3]?.reason ?? '', /is already on line 2/)
  assert.match(result.rejected[4]?.reason ?? '', /a spreadsheet rounded it/)
})

test('an import is rejected and stores nothing if the file is missing or has wrong or no columns', async () => {
  const refused = { code: 'validation_failed' }
  await assert.rejects(importText(`uprn,mpan\n1,${mpan}\n`), { ...refused, message: /missing column "mprn"/ })
  await assert.rejects(importText(''), { ...refused, message: /columns, in any order: uprn,mpan,mprn/ })
  await assert.rejects(importMeterPoints(database, join(folder, 'none.csv')), refused)
  assert.equal((await databaseMeterPointSource(database).findByUprns(['1'])).size, 0)
})

test('an import stores all rows even if they do not fit into one batch', async () => {
  const rows = Array.from({ length: 2_500 }, (_, place) => `${place + 1},${mpan},`)
  const result = await importText(`uprn,mpan,mprn\n${rows.join('\n')}`)
  assert.deepEqual([result.rows, result.inserted], [2_500, 2_500])
})
