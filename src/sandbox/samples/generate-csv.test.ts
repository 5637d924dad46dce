import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { CsvReader } from '../../properties/import/csv-records.ts'
import { importColumns, readImportRow } from '../../properties/import/import-row.ts'
import { readCsvHeader } from '../../properties/import/row-reader.ts'
import { distributionRegions } from '../../properties/postcodes/distribution-regions.ts'
import { postcodeArea } from '../../properties/postcodes/postcode.ts'
import { regionOf } from '../../properties/postcodes/region.ts'
import { generateCsv } from './generate-csv.ts'
import { csvOfBlock } from './invent-properties.ts'

async function generate(count: number, seed: number): Promise<string> {
  const pieces: string[] = []
  const output = new Writable({
    write(piece, _encoding, done) {
      pieces.push(String(piece))
      done()
    },
  })
  await generateCsv(output, { count, seed })
  assert.equal(output.writableEnded, false, 'generateCsv must leave the output open')
  return pieces.join('')
}

function readProperties(text: string) {
  const reader = new CsvReader()
  const [header, ...rows] = [...reader.push(text), ...reader.end()]
  assert.ok(header !== undefined && 'fields' in header)
  const readFields = readCsvHeader(importColumns, header.fields)
  return rows.map((row) => {
    assert.ok('fields' in row, JSON.stringify(row))
    const home = readImportRow(readFields(row.fields))
    assert.ok('row' in home, JSON.stringify(home))
    return home.row
  })
}

test('a generated file has the requested number of rows, all of which can be imported', async () => {
  const homes = readProperties(await generate(1_001, 7))
  assert.equal(homes.length, 1_001)
  for (const name of ['uprn', 'mpan'] as const) assert.equal(new Set(homes.map((home) => home[name])).size, 1_001)
  const withoutGas = homes.filter((home) => home.mprn === null)
  assert.ok(withoutGas.length > 50 && withoutGas.length < 200, `${withoutGas.length} without gas`)
  assert.equal(new Set(homes.map((home) => home.mprn)).size, 1_001 - withoutGas.length + 1)
})

test('12 postcodes have 200 generated properties, as on average in Britain, and successive ones are in different districts', async () => {
  const homes = readProperties(await generate(20_000, 1))
  const postcodes = [...new Set(homes.map((home) => home.postcode))]
  assert.equal(postcodes.length, 1_200)
  assert.equal(new Set(postcodes.map((postcode) => postcode.split(' ')[0])).size, 1_200)
  assert.equal(new Set(homes.map((home) => postcodeArea(home.postcode))).size, 120)
})

test('even 300 generated properties are in all 14 regions, by their MPANs and by their postcodes', async () => {
  const homes = readProperties(await generate(300, 2))
  const regions = new Set(distributionRegions.map(({ gspGroup }) => gspGroup))
  assert.deepEqual(new Set(homes.map(regionOf)), regions)
  for (const home of homes) assert.equal(regionOf({ ...home, mpan: null }), regionOf(home))
})

test('the last of 30 million generated properties are as valid and as different as the first', async () => {
  const tail: string[] = []
  for (const [block, serial] of [
    [1_799_999, 29_999_984],
    [599_999, 9_999_990],
  ] as const)
    tail.push(csvOfBlock({ seed: 999, block, serial, size: 16 }))
  const homes = readProperties([importColumns.join(','), ...tail].join('\r\n'))
  assert.equal(homes.length, 32)
  assert.equal(new Set(homes.map((home) => home.uprn)).size, 32)
  assert.deepEqual(
    [homes[0]?.uprn, homes[15]?.uprn, homes[16]?.uprn, homes[31]?.uprn],
    ['979999999984', '979999999999', '999999999990', '989990000005'],
  )
})

test('the same seed gives the same file, and files from different seeds share no property', async () => {
  const text = await generate(100, 1)
  assert.equal(await generate(100, 1), text)
  const uprns = new Set(readProperties(text).map((home) => home.uprn))
  for (const home of readProperties(await generate(100, 2))) assert.equal(uprns.has(home.uprn), false)
})

test('generating a file throws RangeError if the count or seed is out of range', async () => {
  for (const [count, seed] of [
    [0, 1],
    [1.5, 1],
    [30_000_001, 1],
    [1, 0],
    [1, 1_000],
  ] as const) {
    await assert.rejects(generate(count, seed), RangeError)
  }
})
