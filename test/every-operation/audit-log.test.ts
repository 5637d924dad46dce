import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOwnedTables, withClient } from '../isolation/owned-tables.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { shareTestService } from '../support/shared-service.ts'

// What the log says of each operation is in every-operation.test.ts.
const service = await shareTestService()

/** Tables that contain partners' rows but are not audited, each with the reason. */
const withoutTrigger: Record<string, string> = {
  'public.audit_log': 'the audit log itself',
  'public.contract_versions': 'what the audit log says already, as the feed needs it',
  'public.broadband_checks': 'responses from an upstream, cached for a day',
  'public.death_reports': 'append-only, says who reported what, and only the operator may know of it',
  'public.end_requests': 'says what a tenant asked of the operator, who alone may know of it',
  'public.delivery_history': 'messages that were delivered or failed, with their attempts',
  'public.delivery_queue': 'pending messages; a request for a message is audited',
  'public.events': 'reports of changes to other tables; the changes themselves are audited',
  'public.idempotency_keys': 'stored responses; the changes that the requests made to other tables are audited',
  'public.caused_mails': 'counts of what tenants do, which is audited, for two days',
  'public.partner_mails': 'e-mails about changes to webhooks, which are audited, and about the passing of time',
  'public.processor_deletions': 'result from an erasure or a removal, which is audited',
  'public.removed_events': 'records how far the removal of old events has progressed',
  'public.tenant_mail_refusals': 'keyed hashes, which the log would keep when the key of hashes is replaced',
  'public.tenant_sessions': 'sessions on our pages, with hashes of secrets; what a tenant does in one is audited',
  'public.sandbox_requests': 'what the partner itself asked for; the changes that the requests made are audited',
}

test("every change to a table with partners' rows is written to the audit log, unless the table is excepted here", async () => {
  const owned = (await listOwnedTables(service.connectionString)).map(({ name }) => name)
  const { rows } = await withClient(service.connectionString, (client) =>
    client.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
         from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
         join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = 'audit'::regnamespace and t.tgenabled = 'O' and t.tgtype = ${1 + 4 + 8 + 16}`,
    ),
  )
  const audited = rows.map(({ name }) => name)
  const unaudited = owned.filter((name) => !audited.includes(name.includes('.') ? name : `public.${name}`))
  assert.deepEqual(
    unaudited.sort(),
    Object.keys(withoutTrigger).sort(),
    'see audit_table in migrations/0001-audit.sql: add a trigger, or a reason here',
  )
})

test('every audit trigger compares each column of its table, except those that it names itself', async () => {
  const { rows } = await withClient(service.connectionString, (client) =>
    client.query<{ name: string; settings: string[]; columns: string[]; compared: string[] }>(
      `select c.relname as name, trim_array((string_to_array(encode(t.tgargs, 'escape'), '\\000'))[3:], 1) as settings,
              (select array_agg(attname::text) from pg_attribute where attrelid = c.oid and attnum > 0
                and not attisdropped) as columns,
              array(select distinct found[1] from regexp_matches(p.prosrc, 'new\\."?(\\w+)"?(?:::text)? is distinct',
                'g') found) as compared
         from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = 'audit'::regnamespace`,
    ),
  )
  assert.ok(rows.length > 20)
  for (const { name, settings, columns, compared } of rows) {
    assert.deepEqual(
      [...compared, ...settings].sort(),
      columns.sort(),
      `${name}: call audit_table again in the migration that changes its columns`,
    )
  }
})

test('a change made directly in the database is in the log under the database login', async () => {
  const [row] = await rawRows(service, `update partners set name = name || '!' returning partner_id`)
  const [entry] = await rawRows(
    service,
    `select actor, credential = session_user as "isLogin", fields from audit_log
      where actor = 'database' and subject_type = 'partner' and action = 'changed' and subject_id = $1`,
    [row?.partner_id],
  )
  assert.deepEqual(entry, { actor: 'database', isLogin: true, fields: ['name'] })
})

test('the log cannot be changed, shortened or emptied', async () => {
  for (const text of ['update audit_log set operation = null', 'delete from audit_log', 'truncate audit_log'])
    await assert.rejects(rawRows(service, text), /append-only/)
})
