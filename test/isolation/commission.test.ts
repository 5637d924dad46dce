import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appRole, connectionStringAs, systemRole } from '../../src/platform/db/ensure-runtime-roles.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { withClient } from './owned-tables.ts'

const database = await createTestDatabase()
after(() => database.drop())
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
