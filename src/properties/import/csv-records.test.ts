import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { CsvReader, type CsvRecord } from './csv-records.ts'

function read(...pieces: string[]): CsvRecord[] {
  const reader = new CsvReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const stray =
  'has a quotation mark inside a field. Put the whole field in quotation marks, and double each quotation mark inside it'
const unclosed = 'a quotation mark is opened on this line and never closed'

test('each record reports the line it starts on, even after quoted line breaks and empty lines', () => {
  assert.deepEqual(read('\ufeffa,b\r\n1,2\r\n\r\n"x\r\ny","say ""hi"""\r\n4,\r\n'), [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, fields: ['1', '2'] },
    { line: 4, fields: ['x\ny', 'say "hi"'] },
    { line: 6, fields: ['4', ''] },
  ])
})

test('lines are read the same whether they end with LF, CR LF, CR or nothing', () => {
  const expected = [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, fields: ['1', '2'] },
  ]
  for (const text of ['a,b\n1,2', 'a,b\r\n1,2\r\n', 'a,b\r1,2\r']) assert.deepEqual(read(text), expected)
})

test('a line with a stray quotation mark is rejected, and the next line is read', () => {
  assert.deepEqual(read('a,b\n1,12" pipe\n3,4\n5,"6"x\n7,8\n"9" ,10\n11,a "b" c\n13,14\n'), [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, problem: stray },
    { line: 3, fields: ['3', '4'] },
    { line: 4, problem: stray },
    { line: 5, fields: ['7', '8'] },
    { line: 6, problem: stray },
    { line: 7, problem: stray },
    { line: 8, fields: ['13', '14'] },
  ])
})

test('a line whose quotation mark is never closed is rejected, and the following lines are read', () => {
  const rows = Array.from({ length: 100 }, (_, index) => `${index},"x"`)
  const records = read(`a,b\n1,"2\n${rows.join('\n')}\n5,"6`)
  assert.deepEqual(
    records.filter((record) => 'problem' in record),
    [
      { line: 2, problem: unclosed },
      { line: 103, problem: unclosed },
    ],
  )
  assert.equal(records.length, 103)
  assert.deepEqual(records[2], { line: 3, fields: ['0', 'x'] })
})

test('only the line with the unclosed quotation mark is rejected, even if a later line contains another', () => {
  assert.deepEqual(read('a,b\n1,"2\n3,4\n5,"6\n7"\n8,9\n'), [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, problem: unclosed },
    { line: 3, fields: ['3', '4'] },
    { line: 4, fields: ['5', '6\n7'] },
    { line: 6, fields: ['8', '9'] },
  ])
})

test('a line with too few or too many fields is rejected, and the reason states both counts', () => {
  assert.deepEqual(read('a,b\n1\n1,2,3\n4,5\n'), [
    { line: 1, fields: ['a', 'b'] },
    { line: 2, problem: 'has 1 field, but the header has 2' },
    { line: 3, problem: 'has 3 fields, but the header has 2' },
    { line: 4, fields: ['4', '5'] },
  ])
})

test('well-formed CSV yields the same fields as with csv-parse, wherever the text is split into pieces', () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'b', ',', '"', '\n', ' ', 'é'), maxLength: 6 })
  const rows = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 8 })
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 })
  const ending = fc.constantFrom('\n', '\r\n')
  fc.assert(
    fc.property(rows, cuts, ending, (table, at, lineEnding) => {
      const text = table
        .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',') + lineEnding)
        .join('')
      const places = [0, ...at.filter((each) => each < text.length).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((to, index) => text.slice(places[index], to))
      const records = read(...pieces)
      assert.deepEqual(
        records.map((record) => ('fields' in record ? record.fields : record.problem)),
        parse(text),
      )
    }),
  )
})

test('only the first 65,536 characters of a file without line endings are kept in memory', () => {
  const [record] = read(...Array.from({ length: 40 }, () => 'x'.repeat(10_000)))
  assert.ok(record !== undefined && 'fields' in record)
  assert.equal(record.fields[0]?.length, 65_536)
})
