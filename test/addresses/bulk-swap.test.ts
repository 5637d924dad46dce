import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { describeSchema } from '../../scripts/generated/describe-schema.ts'
import { inTransaction } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { importProperties } from '../../src/domain/addresses/import/import-properties.ts'
import {
  findByAddressUid,
  listByPostcode,
  upsertSuppliedProperties,
} from '../../src/domain/addresses/properties.store.ts'
import { newId } from '../../src/kernel/ids.ts'
import { waitFor } from '../support/wait-for.ts'
import { createAddressDatabase } from './address-database.ts'
import { writeGenerated } from './generated-file.ts'

const database = await createAddressDatabase()
const deps = { db: database, ownerConnectionString: database.connectionString, largeBytes: 0, batchBytes: 1 }
const folder = await mkdtemp(join(tmpdir(), 'housebill-swap-'))
const path = join(folder, 'import.csv')
await writeGenerated(path, 12_000)
const fileUprns = [...(await readFile(path, 'utf8')).matchAll(/,(99\d{10}),/g)].map(([, uprn = '']) => uprn)

after(() => rm(folder, { recursive: true, force: true }))

/** Stores a supplier's property and returns its addressUid. */
async function supply(uprn: string, addressLine1: string): Promise<string> {
  const home = {
    addressLine1,
    addressLine2: '',
    city: 'Leeds',
    county: '',
    country: 'England',
    postcode: 'LS2 9JT',
    uprn,
  } as const
  const [addressUid = ''] = await upsertSuppliedProperties(database, 'os-places', [
    { ...home, addressUid: newId('address') },
  ])
  return addressUid
}

/** Repeats `work` without a pause until `stop` is called, which returns how often it ran. Stops at the first error. */
function repeat(work: (turn: number) => Promise<void>): { stop(): Promise<number> } {
  let stopped = false
  const ended = (async () => {
    let turn = 0
    for (; !stopped; turn += 1) await work(turn)
    return turn
  })()
  // `stop` reports an error.
  ended.catch(() => (stopped = true))
  return {
    stop() {
      stopped = true
      return ended
    },
  }
}

test('during bulk imports, every lookup succeeds and whatever a supplier stores is kept', async () => {
  const known = await supply('1', '1 Old Lane')
  const lookups = repeat(async () => {
    const homes = await listByPostcode(database, 'LS2 9JT')
    assert.ok(homes.some(({ addressUid }) => addressUid === known))
    assert.notEqual(await findByAddressUid(database, known), null)
  })
  const supplied = new Map<string, { addressUid: string; line: string }>()
  const supplier = repeat(async (turn) => {
    // Properties that only the supplier has, each stored several times, and properties of the file.
    const uprn = turn % 2 === 0 ? String(100 + (turn % 50)) : (fileUprns[(turn * 7) % fileUprns.length] ?? '')
    const line = `${turn} New Lane`
    const addressUid = await supply(uprn, line)
    assert.equal(addressUid, supplied.get(uprn)?.addressUid ?? addressUid, 'an addressUid never changes')
    supplied.set(uprn, { addressUid, line })
  })
  for (let round = 0; round < 4; round += 1) {
    const result = await importProperties(deps, path)
    assert.equal(result.inserted + result.updated + result.unchanged, 12_000)
    assert.equal(result.inserted > 0, round === 0)
  }
  assert.ok((await lookups.stop()) > 50)
  assert.ok((await supplier.stop()) > 50)
  const inFile = new Set(fileUprns)
  for (const [uprn, { addressUid, line }] of supplied) {
    const home = await findByAddressUid(database, addressUid)
    assert.equal(home?.uprn, uprn)
    if (!inFile.has(uprn)) assert.equal(home.addressLine1, line)
  }
  const [rows] = await database.query<{ count: number }>(sql`select count(*)::int from properties`)
  const notInFile = [...supplied.keys()].filter((uprn) => !inFile.has(uprn))
  assert.equal(rows?.count, 12_000 + 1 + notInFile.length)
})

test('after a bulk import, the schema is the same, including what the operator has added', async () => {
  await database.query(sql`create index properties_by_city on properties (city) where city <> ''`)
  await database.query(sql`grant select (postcode), references on properties to housebill_operator with grant option`)
  await database.query(sql`grant select on properties to public`)
  await database.query(sql`alter table properties add constraint county_is_short check (length(county) < 200)`)
  const before = await describeSchema(database.connectionString)
  assert.match(before, /properties_by_city/)
  await importProperties(deps, path)
  assert.equal(await describeSchema(database.connectionString), before)
})

test('the swap waits for a long transaction, a second import is rejected, and what a supplier stores counts as updated', async () => {
  await database.query(sql`delete from properties`)
  const known = await supply('1', '1 Old Lane')
  const [uprn = ''] = fileUprns
  const state: { importing?: ReturnType<typeof importProperties> } = {}
  const addressUid = await inTransaction(database, {}, async (tx) => {
    await tx.query(sql`select from properties limit 1`)
    state.importing = importProperties(deps, path)
    await waitFor('the swap is tried', async () => {
      const waiting = await database.query(sql`
        select from pg_locks where relation = 'properties'::regclass and mode = 'AccessExclusiveLock' and not granted`)
      return waiting.length > 0
    })
    assert.notEqual(await findByAddressUid(database, known), null)
    await assert.rejects(importProperties(deps, path), {
      code: 'service_unavailable',
      message: 'Another large import is running. Wait until it has finished, then repeat this one.',
    })
    return supply(uprn, '1 New Lane')
  })
  const result = await state.importing
  assert.deepEqual([result?.inserted, result?.updated, result?.unchanged], [11_999, 1, 0])
  const home = await findByAddressUid(database, addressUid)
  assert.deepEqual([home?.uprn, home?.source], [uprn, 'import'])
  assert.notEqual(await findByAddressUid(database, known), null)
})

test('a large file is imported in small batches if something of the operator belongs to the table', async () => {
  await database.query(sql`create view homes_of_leeds as select * from properties where city = 'Leeds'`)
  const [before] = await database.query(sql`select 'properties'::regclass::oid as oid`)
  const result = await importProperties(deps, path)
  assert.equal(result.unchanged, 12_000)
  assert.deepEqual(await database.query(sql`select 'properties'::regclass::oid as oid`), [before])

  await database.query(sql`drop view homes_of_leeds`)
  await importProperties(deps, path)
  assert.notDeepEqual(await database.query(sql`select 'properties'::regclass::oid as oid`), [before])
})
