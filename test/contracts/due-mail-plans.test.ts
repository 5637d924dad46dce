import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pool } from 'pg'
import { dueKinds, listDueMails } from '../../src/contracts/mails/due-mails.store.ts'
import type { Database } from '../../src/platform/db/database.ts'
import type { Sql } from '../../src/platform/db/sql.ts'
import { createTestDatabase } from '../support/postgres.ts'

/*
 * Asks PostgreSQL how it would find who is due for an e-mail, every few minutes, among many customers of whom few are. A
 * plan that reads whole tables would take longer every day.
 */

const { connectionString, drop } = await createTestDatabase()
const pool = new Pool({ connectionString, max: 1 })
after(async () => {
  await pool.end()
  await drop()
})

before(async () => {
  await pool.query(`
    set session_replication_role = replica;
    insert into partners (partner_id, name) values ('partner_1', 'One');
    insert into customers (customer_id, partner_id, quote_id, joining_number, status, personal_encrypted, email_hash,
                           created_at, updated_at, pages_opened_at)
      select 'customer_' || n, 'partner_1', 'quote_' || n, 1,
             case when n % 100 = 0 then 'active' else 'OnboardingComplete' end, '', 'hash ' || n, now(), now(),
             now() - interval '3 days'
        from generate_series(1, 40000) n;
    insert into quotes (quote_id, partner_id, stage, step_label, quoting_tool_version_id, version_is_explicit,
                        address_uid, address, region, contract_start_date, contract_end_date, start_origin, end_origin,
                        priced_at, expires_at, created_at, updated_at, locked_until)
      select 'quote_' || n, 'partner_1', case when n % 100 = 0 then 'active' else 'completed' end, 'draft', 'card', false,
             'uid', '{}', 'A', now(), now(), 'default', 'default', now(), now(), now(), now(),
             case when n % 100 = 0 then now() + interval '1 day' end
        from generate_series(1, 40000) n;
    insert into contracts (contract_number, partner_id, quote_id, customer_id, status, agreed_at, effective_at, starts_on,
                           ends_on, updated_at)
      select 'contract_' || n, 'partner_1', 'quote_' || n, 'customer_' || n, 'in_force', now(), now(), now(), now(), now()
        from generate_series(1, 40000) n;
    insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence,
                                 description, created_at)
      select 'entry_' || n || '_' || month, 'partner_1', 'customer_' || n, 'contract_' || n, 'plan',
             now() + month * interval '1 month', 100, '', now()
        from generate_series(1, 5000) n, generate_series(1, 12) month;
    insert into setup_intents (setup_intent_id, customer_id, partner_id, processor_customer_id, status, created_at,
                               updated_at)
      select 'intent_' || n, 'customer_' || n, 'partner_1', 'cus', 'succeeded', now(), now()
        from generate_series(1, 40000) n`)
})

for (const kind of dueKinds)
  test(`who is due for ${kind} is found by an index, however many others there are`, async () => {
    const plans: string[] = []
    const db = {
      async query({ text, values }: Sql) {
        const { rows } = await pool.query(`explain ${text}`, values)
        plans.push(...rows.map((row) => String(row['QUERY PLAN'])))
        return []
      },
    }
    const asked = { now: new Date(), paymentDays: 7, partnerId: null, after: undefined, limit: 100 }
    await listDueMails(db as unknown as Database, kind, asked)
    assert.ok(plans.length > 0)
    const whole = /Seq Scan on (customers|quotes|contracts|payment_entries|setup_intents|tenant_mails)\b/
    assert.deepEqual(
      plans.filter((line) => whole.test(line)),
      [],
    )
  })
