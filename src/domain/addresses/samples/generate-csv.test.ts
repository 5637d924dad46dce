import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { readCsvHeader } from '../import/csv-header.ts'
import { readCsvRecords } from '../import/csv-records.ts'
import { importColumns } from '../import/import-columns.ts'
import { readImportRow } from '../import/import-row.ts'
import { generateCsv } from './generate-csv.ts'

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

async function readHomes(text: string) {
  const [header, ...rows] = await Array.fromAsync(readCsvRecords([text]))
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
  const homes = await readHomes(await generate(1_001, 7))
  assert.equal(homes.length, 1_001)
  assert.equal(new Set(homes.map((home) => home.uprn)).size, 1_001)
  assert.equal(new Set(homes.map((home) => home.postcode)).size, Math.ceil(1_001 / 15))
  const withoutGas = homes.filter((home) => home.mprn === null)
  assert.ok(withoutGas.length > 50 && withoutGas.length < 200, `${withoutGas.length} without gas`)
})

test('the same seed gives the same file, and files from different seeds share no property', async () => {
  const text = await generate(100, 1)
  assert.equal(await generate(100, 1), text)
  const uprns = new Set((await readHomes(text)).map((home) => home.uprn))
  for (const home of await readHomes(await generate(100, 2))) assert.equal(uprns.has(home.uprn), false)
})

test('generating a file throws RangeError if the count or seed is out of range', async () => {
  for (const [count, seed] of [
    [0, 1],
    [1.5, 1],
    [10_000_001, 1],
    [1, 0],
    [1, 1_000],
  ] as const) {
    await assert.rejects(generate(count, seed), RangeError)
  }
})
