import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { inTransaction } from '../../src/platform/db/database.ts'
import { createDatabases } from '../../src/platform/db/databases.ts'
import {
  appRole,
  connectionStringAs,
  type RuntimeRole,
  systemRole,
} from '../../src/platform/db/ensure-runtime-roles.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { withClient } from './owned-tables.ts'

const database = await createTestDatabase()
const tables = ['commission_terms', 'commission_entries', 'commission_closings']
const changes = (table: string) => [
  `update ${table} set partner_id = partner_id`,
  `delete from ${table}`,
  `truncate ${table}`,
]
const insert = (table: string) => `insert into ${table} (partner_id) values ('partner_any')`

/** Asserts that a role may run none of these statements. */
const rejects = (role: typeof appRole | typeof systemRole, statements: readonly string[]) =>
  withClient(connectionStringAs(role, database.connectionString), async (client) => {
    for (const text of statements) await assert.rejects(client.query(text), { code: '42501' }, `${role}: ${text}`)
  })

test('nobody may change or remove commission, and only the role that works for one partner may add some', async () => {
  for (const table of tables) {
    await rejects(appRole, changes(table))
    await rejects(systemRole, [insert(table), ...changes(table)])
  }
})

await withClient(database.connectionString, (client) =>
  client.query(
    `insert into partners (partner_id, name) values ('partner_a', 'A'), ('partner_b', 'B'), ('o''b"\\', 'Odd')`,
  ),
)
const openPool = (role: RuntimeRole) =>
  new Pool({ connectionString: connectionStringAs(role, database.connectionString), max: 1, pipeline: true })
const [app, system] = [openPool(appRole), openPool(systemRole)]
const databases = createDatabases({ app, system })
after(async () => {
  await Promise.all([app.end(), system.end()])
  await database.drop()
})

const ids = sql`select partner_id as id from partners order by partner_id`
const names = (rows: { id: string }[]) => rows.map(({ id }) => id)

async function leftOnTheConnection(): Promise<unknown> {
  const setting = (name: string) => `nullif(current_setting('housebill.${name}', true), '') as ${name}`
  const { rows } = await app.query(`select ${setting('partner')}, ${setting('origin')}`)
  return rows[0]
}
const nothingLeft = { partner: null, origin: null }

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

test('after a failed statement or transaction, no partner remains on the connection', async () => {
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
})

test('with no partner, an empty one or one that looks like a pattern, no rows are visible and none can be added', async () => {
  for (const partnerId of [undefined, '', '%', 'partner_'])
    for (const db of partnerId === undefined ? [databases.shared] : [databases.forPartner(partnerId)]) {
      assert.deepEqual(await db.query(ids), [])
      const add = sql`insert into webhooks (webhook_id, partner_id) values ('w', 'partner_a')`
      await assert.rejects(db.query(add), { code: '42501' })
    }
})

test('statements that are requested together fail from the first that fails on, and those before it succeed', async () => {
  const db = databases.forPartner('partner_a')
  const together = await Promise.allSettled([db.query(ids), db.query(sql`select 1 / 0`), db.query(ids)])
  assert.deepEqual(
    together.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : outcome.status)),
    ['fulfilled', '22012', '22012'],
  )
  assert.deepEqual(names(await db.query(ids)), ['partner_a'])
})

test('the policy reads the partner once for each table and statement, not once for each row', async () => {
  const rows = await databases
    .forPartner('partner_a')
    .query<Record<string, unknown>>(sql`explain (analyze, format json) select from partners`)
  const loops = [...JSON.stringify(rows).matchAll(/"Subplan Name":"InitPlan[^}]*?"Actual Loops":(\d+)/g)]
  assert.deepEqual(
    loops.map(([, count]) => count),
    ['1'],
  )
})
