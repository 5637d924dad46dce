import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { importColumns } from '../../src/domain/addresses/import/import-columns.ts'
import { type ImportProgress, importFile } from '../../src/domain/addresses/import/import-file.ts'
import { importProperties } from '../../src/domain/addresses/import/import-properties.ts'
import { readImportRow } from '../../src/domain/addresses/import/import-row.ts'
import { upsertImportedProperties } from '../../src/domain/addresses/properties.store.ts'
import { seedSamples } from '../../src/domain/addresses/samples/seed-samples.ts'
import { DomainError } from '../../src/kernel/errors.ts'
import { createAddressDatabase } from './address-database.ts'
import { writeGenerated } from './generated-file.ts'

const database = await createAddressDatabase()
const deps = { db: database, ownerConnectionString: database.connectionString, largeBytes: 0, batchBytes: 1 }
const header = importColumns.join(',')
const folder = await mkdtemp(join(tmpdir(), 'housebill-bulk-'))
const path = join(folder, 'import.csv')

after(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  await database.query(sql`delete from properties`)
  await database.query(sql`delete from property_imports`)
})

async function importText(text: string) {
  await writeFile(path, text)
  return importProperties(deps, path)
}

function stored() {
  return database.query<{ addressUid: string; uprn: string; [column: string]: unknown }>(sql`
    select address_uid as "addressUid", postcode, address_line1, address_line2, city, county, country, uprn, mpan, mprn,
           source, special_case, updated_at
      from properties order by uprn`)
}

/** Runs an import in a process of its own, which is killed when it has reported its progress so many times. */
async function importUntilKilled(reports: number): Promise<void> {
  const child = fork('test/addresses/bulk-import-process.ts', [database.connectionString, path, String(reports)])
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
}

const unfinished = () =>
  database.query<{ rows: number }>(sql`select (result ->> 'rows')::int as rows from property_imports`)

test('a bulk import stores, counts and rejects the same as a small one, whatever is stored already', async () => {
  await writeGenerated(path, 7_000)
  const format = { columns: importColumns, readRow: readImportRow, store: upsertImportedProperties }
  const small = await importFile(database, path, format)
  const expected = (await stored()).map(({ addressUid, updated_at, ...home }) => home)
  await database.query(sql`delete from properties`)
  const bulk = await importProperties(deps, path)
  assert.deepEqual(bulk, small)
  assert.equal(bulk.inserted, 7_000)
  assert.deepEqual(
    bulk.rejected.map(({ line }) => line),
    [2_334, 4_667, 7_001, 7_005, 7_006],
  )
  assert.deepEqual(
    (await stored()).map(({ addressUid, updated_at, ...home }) => home),
    expected,
  )

  const before = await stored()
  await database.query(sql`update properties set city = 'Elsewhere' where uprn <= ${before[9]?.uprn}`)
  await database.query(sql`delete from properties where uprn > ${before[6_899]?.uprn}`)
  const again = await importProperties(deps, path)
  assert.deepEqual(again, { ...bulk, inserted: 100, updated: 10, unchanged: 6_890 })
  const now = await stored()
  assert.deepEqual(
    now.slice(10, 6_900),
    before.slice(10, 6_900),
    'unchanged properties keep their addressUid and the time of their last change',
  )
  assert.deepEqual(
    now.slice(0, 10).map(({ updated_at, ...home }) => home),
    before.slice(0, 10).map(({ updated_at, ...home }) => home),
  )
})

test('a bulk import keeps properties that the file does not have, and the addressUids of those that it has', async () => {
  await seedSamples(database)
  const before = await stored()
  const special = before.find(({ special_case: name }) => name === 'no-gas')
  assert.ok(special)
  const result = await importText(
    `${header}\n"The ""house"" with \\ no gas",,Norwich,,England,NR4 7TJ,${special.uprn},,\n1 High Street,,Norwich,,England,NR4 7TJ,7,,\n`,
  )
  assert.deepEqual([result.inserted, result.updated, result.unchanged], [1, 1, 0])
  const now = await stored()
  assert.equal(now.length, before.length + 1)
  const others = (homes: typeof now) => homes.filter(({ uprn }) => uprn !== special.uprn && uprn !== '7')
  assert.deepEqual(others(now), others(before))
  const changed = now.find(({ uprn }) => uprn === special.uprn)
  assert.deepEqual(
    [changed?.addressUid, changed?.address_line1, changed?.source, changed?.special_case],
    [special.addressUid, 'The "house" with \\ no gas', 'import', null],
  )
})

test('a bulk import that was killed continues where it stopped, with the same result as if it had not been', async () => {
  await writeGenerated(path, 12_000)
  const whole = await importProperties(deps, path)
  await database.query(sql`delete from properties`)
  await importUntilKilled(3)
  assert.deepEqual(await stored(), [], 'lookups do not see half an import')
  const [before] = await unfinished()
  assert.ok(before && before.rows > 4_000 && before.rows < 10_000)
  await importUntilKilled(1)
  const [later] = await unfinished()
  assert.ok(later && later.rows > before.rows)
  const progress: ImportProgress[] = []
  const resumed = await importProperties(deps, path, (each) => progress.push(each))
  assert.ok((progress[0]?.rows ?? 0) > later.rows)
  const unknownLine = whole.rejected.map((each) => ({
    ...each,
    reason: each.reason.replace(/already on line \d+/, 'already on an earlier line'),
  }))
  assert.deepEqual(
    resumed.rejected.map((each) => ({
      ...each,
      reason: each.reason.replace(/already on line \d+/, 'already on an earlier line'),
    })),
    unknownLine,
  )
  assert.deepEqual({ ...resumed, rejected: [] }, { ...whole, rejected: [] })
  assert.equal((await stored()).length, 12_000)
  assert.deepEqual(await unfinished(), [])
})

test('a bulk import that was killed at any later step is completed by repeating it', async () => {
  await seedSamples(database)
  const samples = (await stored()).length
  await writeGenerated(path, 3_000)
  const steps: number[] = []
  await importProperties(deps, path, ({ done }) => steps.push(done ?? 0))
  const reading = steps.filter((done) => done <= 0.7).length
  for (let report = reading; report < steps.length; report += 1) {
    await database.query(sql`delete from properties where source = 'import'`)
    await importUntilKilled(report)
    assert.equal((await stored()).length, samples)
    const result = await importProperties(deps, path)
    assert.deepEqual([result.inserted, result.rejectedRows], [3_000, 5])
    assert.equal((await stored()).length, samples + 3_000)
  }
})

test('a bulk import starts again if the file has changed where it was read, and continues if only the rest has', async () => {
  await writeGenerated(path, 9_000)
  await importUntilKilled(2)
  await appendFile(path, '\r\n1 High Street,,Norwich,,England,NR4 7TJ,7,,')
  const longer = await importProperties(deps, path)
  assert.deepEqual([longer.inserted, longer.rejectedRows], [9_001, 5])

  await database.query(sql`delete from properties`)
  await importUntilKilled(2)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/,St Albans,/, ',St Albany,'))
  const changed = await importProperties(deps, path)
  assert.deepEqual([changed.inserted, changed.rejectedRows], [9_001, 5])
  assert.equal((await stored()).filter(({ city }) => city === 'St Albany').length, 1)
})

test('a large file with an invalid header stores nothing and leaves nothing behind', async () => {
  await assert.rejects(importText('street,town\n1 High Street,Norwich\n'), /unknown column "street"/)
  await assert.rejects(importText(''), /has no header/)
  assert.deepEqual(await unfinished(), [])
})

test('a bulk import fails with service_unavailable if the database is unavailable, and continues when it is back', async () => {
  await writeGenerated(path, 9_000)
  let queries = 0
  const failing: Queryable = {
    query: (statement) => {
      queries += 1
      // The first of these statements is not about rows of the file.
      if (queries > 4) return Promise.reject(new DomainError('service_unavailable', 'gone'))
      return database.query(statement)
    },
  }
  await assert.rejects(importProperties({ ...deps, db: failing }, path), { code: 'service_unavailable' })
  const [before] = await unfinished()
  assert.ok(before && before.rows > 0 && before.rows < 9_000)
  const result = await importProperties(deps, path)
  assert.deepEqual([result.inserted, result.rejectedRows], [9_000, 5])
})
