import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { after, beforeEach, test } from 'node:test'
import { sql } from '../../src/platform/db/sql.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import type { ImportProgress } from '../../src/properties/import/import-file.ts'
import { importProperties } from '../../src/properties/import/import-properties.ts'
import { importColumns } from '../../src/properties/import/import-row.ts'
import { generateCsv } from '../../src/sandbox/samples/generate-csv.ts'
import { seedSamples } from '../../src/sandbox/samples/sample-properties.ts'
import { createAddressDatabase } from './address-database.ts'

const database = await createAddressDatabase()
const header = importColumns.join(',')
const folder = await mkdtemp(join(tmpdir(), 'housebill-import-'))

after(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => database.query(sql`delete from properties`))

async function importText(text: string | Buffer) {
  const path = join(folder, 'import.csv')
  await writeFile(path, text)
  return importProperties(database.connectionString, path)
}

function stored() {
  return database.query<{ address_uid: string; [column: string]: unknown }>(sql`
    select address_uid, postcode, address_line1, address_line2, city, county, country, uprn, mpan, mprn, meter, source,
           special_case
    from properties order by uprn`)
}

const counts = {
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

test('importing normalises a spreadsheet file with a BOM, CR LF, a different column order and a quoted line break', async () => {
  const text = '\ufeffuprn,postCode,mpan,mprn,"addressLine1",addressLine2,city,county,country\r\n'
  const row = '100023336956,nr47tj,1012345678903,,"Flat ""B"",\r\n2 High Street",,Norwich,Norfolk,england\r\n'
  assert.deepEqual(await importText(`${text}${row},,,,,,,,\r\n`), { ...counts, rows: 1, inserted: 1 })
  const [property] = await stored()
  assert.match(property?.address_uid ?? '', /^address_/)
  assert.deepEqual(
    { ...property, address_uid: '' },
    {
      address_uid: '',
      postcode: 'NR4 7TJ',
      address_line1: 'Flat "B", 2 High Street',
      address_line2: '',
      city: 'Norwich',
      county: 'Norfolk',
      country: 'England',
      uprn: '100023336956',
      mpan: '1012345678903',
      mprn: null,
      meter: null,
      source: 'import',
      special_case: null,
    },
  )
})

test('rows imported again count as unchanged, or as updated if they changed, and keep their addressUids', async () => {
  const file = (city: string) =>
    `${header}\n1 High Street,,${city},,England,NR4 7TJ,7,,\n2 High Street,,Norwich,,England,NR4 7TJ,8,,\n`
  await importText(file('Norwich'))
  const first = await stored()
  assert.deepEqual(await importText(file('Norwich')), { ...counts, rows: 2, unchanged: 2 })
  assert.deepEqual(await importText(file('Norwich City')), { ...counts, rows: 2, updated: 1, unchanged: 1 })
  assert.deepEqual(await stored(), [{ ...first[0], city: 'Norwich City' }, first[1]])
})

test('facts about meters are stored, and stay where a later file says nothing of them', async () => {
  const file = (columns: string, facts: string) =>
    `${header},${columns}\n1 High Street,,York,,England,NR4 7TJ,7,,,${facts}\n`
  const meterOf = async () => (await stored())[0]?.meter
  await importText(file('heating,meterPayment,registers,smartMeter', 'heat_network,Prepayment, ,TRUE'))
  const known = { payment: 'prepayment', smart: true, heating: 'heat_network' }
  assert.deepEqual(await meterOf(), known)
  assert.deepEqual(await importText(file('meterPayment', '')), { ...counts, rows: 1, unchanged: 1 })
  assert.deepEqual(await importText(file('meterPayment', 'prepayment')), { ...counts, rows: 1, unchanged: 1 })
  assert.deepEqual(await importText(file('registers,meterPayment', 'two_rate,unknown')), {
    ...counts,
    rows: 1,
    updated: 1,
  })
  assert.deepEqual(await meterOf(), { ...known, payment: 'unknown', registers: 'two_rate' })
  const { rejected } = await importText(file('registers,smartMeter', 'three,yes'))
  assert.deepEqual(
    rejected.map(({ column, reason }) => [column, reason]),
    [
      ['registers', 'must be empty or one of single, two_rate, unknown'],
      ['smartMeter', 'must be empty or one of true, false, unknown'],
    ],
  )
  await assert.rejects(importText(file('smart', 'true')), /unknown column "smart"\. .* It may also name meterPayment,/)
})

test('importing the UPRN of a sample property replaces its data and keeps its addressUid', async () => {
  await seedSamples(database)
  const special = sql`select address_uid, uprn, special_case, source from properties where address_line1 like '%no gas'`
  const [before] = await database.query<{ address_uid: string; uprn: string }>(special)
  assert.ok(before)
  await importText(`${header}\nThe house with no gas,,Norwich,,England,NR4 7TJ,${before.uprn},,\n`)
  assert.deepEqual(await database.query(special), [{ ...before, special_case: null, source: 'import' }])
})

test('an import lists unusable rows with line, column and reason, and stores the good ones', async () => {
  const rows = [
    '1 High Street,,Norwich,,England,NR4 7TJ,1,1012345678903,3938424403',
    '2 High Street,,,,France,NR4 7TJ,2,,',
    '3 High Street,,Norwich,,England,BT7 1NN,3,,',
    '4 "High" Street,,Norwich,,England,NR4 7TJ,4,,',
    '5 High Street,,Norwich,,England,NR4 7TJ,5,1012345678904,3938424404',
    '6 High Street,Norwich,England',
    '7 High Street,,Norwich,,England,NR4 7TJ,1,,',
    '"8 High Street\n\nBack door",,Norwich,,England,NR4 7TJ,0,,',
    '9 High Street,,Norwich,,England,NR4 7TJ,9,,',
  ]
  const { rejected, ...result } = await importText(`${header}\n${rows.join('\n')}\n`)
  const { rejected: _, ...none } = counts
  assert.deepEqual(result, { ...none, rows: 9, inserted: 1, rejectedRows: 8, problems: 10, conflictingRows: 2 })
  assert.deepEqual(
    rejected.map(({ line, column }) => [line, column]),
    [
      [2, 'uprn'],
      [3, 'city'],
      [3, 'country'],
      [4, 'postCode'],
      [5, null],
      [6, 'mpan'],
      [6, 'mprn'],
      [7, null],
      [8, 'uprn'],
      [9, 'uprn'],
    ],
  )
  assert.match(rejected.find(({ line }) => line === 8)?.reason ?? '', /is also on line 2; the lines differ/)
  assert.deepEqual(
    (await stored()).map(({ uprn }) => uprn),
    ['9'],
  )
})

test('UPRNs that differ in leading zeros are one property', async () => {
  const row = (uprn: string, street = 'High Street') => `1 ${street},,Norwich,,England,NR4 7TJ,${uprn},,`
  await importText(`${header}\n${row('5114563')}\n`)
  const again = await importText(`${header}\n${row('000005114563', 'Low Street')}\n`)
  assert.deepEqual([again.inserted, again.updated], [0, 1])
  assert.deepEqual(
    (await stored()).map(({ uprn, address_line1 }) => [uprn, address_line1]),
    [['5114563', '1 Low Street']],
  )
})

test('an import whose connection is lost is completed by repeating it', async () => {
  const path = join(folder, 'interrupted.csv')
  const rows = Array.from({ length: 25_000 }, (_, row) => `${row} High Street,,Norwich,,England,NR4 7TJ,${row + 1},,`)
  await writeFile(path, [header, ...rows].join('\n'))
  let isEnded = false
  const interrupted = importProperties(database.connectionString, path, ({ done = 0 }) => {
    if (isEnded || done < 0.5) return
    isEnded = true
    void database.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'housebill import' and datname = current_database()`)
  })
  await assert.rejects(interrupted, { code: 'service_unavailable' })
  const before = (await stored()).length
  const result = await importProperties(database.connectionString, path)
  assert.deepEqual([result.inserted, result.unchanged], [25_000 - before, before])
  assert.equal((await stored()).length, 25_000)
})

test('importing 20,000 rows, some invalid or repeated, lists only the first errors, and a second import changes nothing', async () => {
  const path = join(folder, 'generated.csv')
  const output = createWriteStream(path)
  await generateCsv(output, { count: 18_000, seed: 3 })
  for (let row = 0; row < 1_500; row += 1) output.write(`1 High Street,,Norwich,,England,nowhere,${row + 1},,\r\n`)
  await generateCsv(output, { count: 499, seed: 3 })
  output.end()
  await finished(output)
  const progress: ImportProgress[] = []
  const first = await importProperties(database.connectionString, path, (each) => progress.push(each))
  // The second header counts as an unusable row.
  assert.deepEqual(
    { ...first, rejected: first.rejected.length },
    { ...counts, rows: 20_000, inserted: 18_000, rejectedRows: 2_000, rejected: 1_000, problems: 2_004 },
  )
  assert.deepEqual(first.rejected[0], {
    line: 18_002,
    column: 'postCode',
    reason: 'is not a postcode; write it like SW7 2AZ',
  })
  assert.deepEqual(progress.at(-1), { rows: 20_000, done: 1 })
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => (one.done ?? 0) - (other.done ?? 0)),
  )
  assert.ok(progress.length > 5 && progress.every(({ done }) => done !== undefined && done > 0 && done <= 1))
  const uids = (await stored()).map((property) => property.address_uid)
  const second = await importProperties(database.connectionString, path)
  assert.deepEqual(second, { ...first, inserted: 0, unchanged: 18_000 })
  assert.deepEqual(
    (await stored()).map((property) => property.address_uid),
    uids,
  )
})

test('two concurrent imports of the same properties both finish and store each property once', async () => {
  const rows = Array.from({ length: 1_500 }, (_, row) => `${row} High Street,,Norwich,,England,NR4 7TJ,${row + 1},,`)
  const paths = [join(folder, 'one.csv'), join(folder, 'two.csv')] as const
  await writeFile(paths[0], [header, ...rows].join('\n'))
  await writeFile(paths[1], [header, ...rows.toReversed()].join('\n'))
  const results = await Promise.all(paths.map((path) => importProperties(database.connectionString, path)))
  assert.deepEqual(
    results.map(({ rows, inserted, unchanged }) => [rows, inserted + unchanged]),
    [
      [1_500, 1_500],
      [1_500, 1_500],
    ],
  )
  assert.equal((await stored()).length, 1_500)
})

test('an import is rejected with the reason if the file or its header is missing, or the header or encoding is wrong', async () => {
  const row = '1 High Street,,Norwich,,England,NR4 7TJ,1,,'
  const rejections: [() => Promise<unknown>, RegExp][] = [
    [() => importProperties(database.connectionString, join(folder, 'none.csv')), /cannot be read \(ENOENT\)/],
    [() => importProperties(database.connectionString, folder), /cannot be read \(EISDIR\)/],
    [() => importText(''), /has no header/],
    [() => importText('"a\nb'), /has no header/],
    [() => importText(`${row}\n`), /unknown column .*missing column/],
    [() => importText(`${header},bedrooms\n${row},3\n`), /unknown column "bedrooms"/],
    [() => importText(`${header.replace('mpan,', '')}\n`), /missing column "mpan"/],
    [() => importText(Buffer.from(`\ufeff${header}\n${row}\n`, 'utf16le')), /not UTF-8/],
  ]
  for (const [attempt, reason] of rejections) {
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof DomainError)
      assert.equal(error.code, 'validation_failed')
      assert.match(error.message, reason)
      return true
    })
  }
  assert.deepEqual(await stored(), [])
})

test('importing a file fails with service_unavailable if the database is unavailable', async () => {
  const path = join(folder, 'gone.csv')
  await writeFile(path, `${header}\n1 High Street,,Norwich,,England,NR4 7TJ,1,,\n`)
  const gone = 'postgres://nobody@127.0.0.1:1/nothing'
  await assert.rejects(importProperties(gone, path), { code: 'service_unavailable' })
})
