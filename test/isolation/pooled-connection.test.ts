import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { type Database, inTransaction } from '../../src/db/database.ts'
import { createDatabases } from '../../src/db/databases.ts'
import { proofSetting, readProofSigner } from '../../src/db/proof.ts'
import { appRole, connectionStringAs, type RuntimeRole, systemRole } from '../../src/db/runtime-roles.ts'
import { sql } from '../../src/db/sql.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { withClient } from './owned-tables.ts'

/** All partners share one connection of each pool, as behind a pooler in transaction mode, so settings left on it would affect the next user. */
const database = await createTestDatabase()
await withClient(database.connectionString, (client) =>
  client.query(
    `insert into partners (partner_id, name) values ('partner_a', 'A'), ('partner_b', 'B'), ('o''b"\\', 'Odd')`,
  ),
)
const openPool = (role: RuntimeRole) =>
  new Pool({ connectionString: connectionStringAs(role, database.connectionString), max: 1, pipeline: true })
const [app, system] = [openPool(appRole), openPool(systemRole)]
const databases = createDatabases({ app, system, operator: system }, await readProofSigner(database.connectionString))
after(async () => {
  await Promise.all([app.end(), system.end()])
  await database.drop()
})

const ids = sql`select partner_id as id from partners order by partner_id`
const names = (rows: { id: string }[]) => rows.map(({ id }) => id)

async function leftOnTheConnection(): Promise<unknown> {
  const { rows } = await app.query(`select nullif(current_setting('${proofSetting}', true), '') as proof`)
  return rows[0]
}
const nothingLeft = { proof: null }

test('partners that take turns on one connection each see only their own rows, in statements and in transactions', async () => {
  const scopes = ['partner_a', 'partner_b', `o'b"\\`].map((id) => ({ id, db: databases.forPartner(id) }))
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const { id, db } = scopes[index % scopes.length] ?? assert.fail()
      if (index % 2 === 0) assert.deepEqual(names(await db.query(ids)), [id])
      else
        await inTransaction(db, {}, async (tx) => {
          assert.deepEqual(names(await tx.query(ids)), [id])
          assert.deepEqual(names(await tx.query(ids)), [id])
        })
      assert.deepEqual(await databases.shared.query(ids), [])
      assert.equal((await databases.system.query(ids)).length, 3)
    }),
  )
  assert.deepEqual(await leftOnTheConnection(), nothingLeft)
})

test('after a failed statement or transaction, no proof remains on the connection', async () => {
  const db = databases.forPartner('partner_a')
  await assert.rejects(db.query(sql`select 1 / 0`), { code: '22012' })
  assert.deepEqual(await leftOnTheConnection(), nothingLeft)
  await assert.rejects(
    inTransaction(db, {}, async (tx) => {
      await tx.query(ids)
      throw new Error('rolled back')
    }),
    /rolled back/,
  )
  assert.deepEqual(await leftOnTheConnection(), nothingLeft)
  await assert.rejects(databases.system.query(sql`select price from quotes`), { code: '42501' })
  assert.deepEqual(await leftOnTheConnection(), nothingLeft)
})

test('statements about data of no partner carry no proof, and those of a partner or across partners do', async () => {
  const hasProof = sql`select coalesce(current_setting(${proofSetting}, true), '') <> '' as proven`
  const found = async (db: Database) => (await db.query<{ proven: boolean }>(hasProof))[0]?.proven
  assert.equal(await found(databases.shared), false)
  for (const db of [databases.forPartner('partner_a'), databases.system]) assert.equal(await found(db), true)
})

test('the text of no statement contains a proof, in single statements and in transactions', async () => {
  for (const whole of [true, false]) {
    const pool = openPool(appRole)
    const fresh = createDatabases(
      { app: pool, system, operator: system },
      await readProofSigner(database.connectionString),
    )
    const db = fresh.forPartner('partner_a')
    if (whole) await inTransaction(db, {}, (tx) => tx.query(ids))
    else await db.query(ids)
    const { rows } = await pool.query(`select statement from pg_prepared_statements order by name = 'as_whom' desc`)
    assert.deepEqual(rows[0], { statement: `select set_config('${proofSetting}', $1, true)` })
    assert.doesNotMatch(JSON.stringify(rows), /partner_a/)
    await pool.end()
  }
})

test('a single statement that writes is committed if it succeeds and rolled back if it fails', async () => {
  const db = databases.forPartner('partner_a')
  await db.query(sql`update partners set clock_offset_seconds = 60`)
  await assert.rejects(db.query(sql`update partners set clock_offset_seconds = 120 / (clock_offset_seconds - 60)`), {
    code: '22012',
  })
  const moved = sql`select partner_id as id from partners where clock_offset_seconds = 60`
  assert.deepEqual(await databases.system.query(moved), [{ id: 'partner_a' }])
})

test('a connection opened with options in its connection string also gets the role, and keeps it after resets', async () => {
  const url = new URL(database.connectionString)
  url.searchParams.set('options', '-c work_mem=5MB')
  await withClient(connectionStringAs(appRole, url.href), async (client) => {
    const state = async () =>
      (await client.query(`select current_user::text as role, current_setting('work_mem') as memory`)).rows[0]
    const expected = { role: appRole, memory: '5MB' }
    assert.deepEqual(await state(), expected)
    await client.query('reset role')
    await client.query('discard all')
    assert.deepEqual(await state(), expected)
  })
})
