import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'

const database = await createDatabaseBefore('0124-services-of-quotes.sql')
after(() => database.stop())

test('earlier quotes get the services of their prices, and the audit log gets no entry', async () => {
  await withClient(database.connectionString, async (superuser) => {
    await superuser.query(`
      set session_replication_role = replica;
      insert into partners (partner_id, name) values ('partner_1', 'One');
      insert into quotes (quote_id, partner_id, stage, step_label, quoting_tool_version_id, version_is_explicit, address_uid, address, region,
          contract_start_date, contract_end_date, start_origin, end_origin, price, priced_at, expires_at, created_at, updated_at)
        select 'quote_' || name, 'partner_1', 'open', 'TenantsAdded', 'card', false, 'address', '{}', '_A', now(), now(), 'default', 'default',
          price::json, now(), now(), now(), now()
        from (values ('draft', null), ('priced', '{"lines": [{"type": "gas"}, {"type": "broadband"}]}')) q (name, price)`)

    await migrate(database.ownerUrl)

    const { rows } = await superuser.query('select quote_id as id, services from quotes order by 1')
    assert.deepEqual(rows, [
      { id: 'quote_draft', services: [] },
      { id: 'quote_priced', services: ['gas', 'broadband'] },
    ])
    assert.equal((await superuser.query('select from audit_log')).rowCount, 0)
  })
})
