import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../src/platform/db/sql.ts'
import { testForeignIds } from '../every-operation/foreign-id-walk.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { startTestService } from '../support/service.ts'

/*
 * Tests the program's statements alone: even without row-level security, they must return only the partner's own rows.
 * Row-level security is disabled only after the service has started, because the service does not start without it.
 */
const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())

before(async () => {
  const tables = await rawRows(service, `select relname as name from pg_class where relrowsecurity`)
  assert.ok(tables.length > 10)
  for (const { name } of tables.filter(({ name }) => !['steering', 'outgoing_webhooks'].includes(String(name))))
    await rawRows(service, `alter table ${name} disable row level security`)
})

testForeignIds(service)

test('row-level security was off while these tests ran', async () => {
  const [seen] = await (await openDatabases(service.connectionString)).shared.query(
    sql`select count(distinct partner_id)::int as partners from quotes`,
  )
  assert.deepEqual(seen, { partners: 2 })
})
