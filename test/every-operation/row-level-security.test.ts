import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appRole, systemRole } from '../../src/platform/db/ensure-runtime-roles.ts'
import { listOwnedTables, withClient } from '../isolation/owned-tables.ts'
import { createTestDatabase } from '../support/postgres.ts'

const database = await createTestDatabase()
after(() => database.drop())
const owned = await listOwnedTables(database.connectionString)

/** Tables without a partner_id, each with the reason why its rows belong to no partner. */
const ofNoPartner: Record<string, string> = {
  address_lookups: 'the properties that a supplier listed for a postcode',
  broadband_responses: 'responses from an upstream about a property',
  contract_feed: 'one row: where the feed of all partners ends',
  contract_numbers: 'every number that a contract has, so that no two partners have the same one',
  deployment_settings: "the deployment's own secrets and settings",
  key_ring: "the deployment's own keys",
  meter_points: 'meters of properties',
  operator_credentials: "the operator's own programs, which belong to no partner",
  operator_requests: "hashes of requests of the operator's own programs",
  pending_sign_ins: 'sign-ins that have begun, before anybody knows whose',
  program_sessions: 'sessions of a program, found by a secret id before the partner is known',
  properties: 'properties, which all partners share',
  rate_card_changes: 'who changed a card, which belongs to no partner',
  rate_cards: "the operator's prices",
  revoked_tokens: 'hashes of revoked tokens, read before the caller is known',
  scheduled_jobs: 'when each scheduled job is due',
  schema_migrations: 'the applied migrations',
  terms_versions: "the operator's terms, which anyone may read",
  write_probe: 'one row that the readiness check writes',
}

/** Tables that only their owner uses, who migrates and in whose name the readiness check writes. */
const onlyForOwner = ['schema_migrations', 'write_probe']

const remedy = 'Follow contributing/adding-a-table.md in the migration that creates it.'

test("every table with partners' rows has row-level security enabled and forced", () => {
  assert.ok(owned.length > 10, 'the tables were found')
  const open = owned.filter(({ isEnabled, isForced }) => !isEnabled || !isForced).map(({ name }) => name)
  assert.deepEqual(open, [], `These tables are not protected from other partners. ${remedy}`)
})

test("every table with partners' rows has the two policies and no other: its partner's rows, and all rows for work across partners", async () => {
  const { rows } = await withClient(database.connectionString, (client) =>
    client.query<{ table: string; policies: string }>(
      `
      select format('%I.%I', n.nspname, c.relname) as table,
             string_agg(concat_ws(' ', polname, polcmd, polroles::regrole[], pg_get_expr(polqual, c.oid),
               pg_get_expr(polwithcheck, c.oid)),
                        '; ' order by polname) as policies
        from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_policy on polrelid = c.oid
       where format('%I.%I', n.nspname, c.relname) = any ($1) group by 1 order by 1`,
      [owned.map(({ name }) => name)],
    ),
  )
  const [{ owner } = assert.fail()] = await withClient(
    database.connectionString,
    async (client) => (await client.query<{ owner: string }>('select current_user as owner')).rows,
  )
  const all = 'all_rows * {housebill_system} true'
  const own = `own_rows * {housebill_app} (partner_id = ( SELECT current_setting('housebill.partner'::text, true) AS current_setting))`
  const origin = `( SELECT ((NULLIF(current_setting('housebill.origin'::text, true), ''::text))::jsonb ->> 'actor'::text))`
  // Entries name who the transaction says, and what the owner changes in a migration has entries too.
  const further = new Map([
    [
      'public.audit_log',
      [
        `of_origin a {housebill_app} (actor = COALESCE(${origin}, 'database'::text))`,
        own,
        `written_by_owner a {${owner}} true`,
      ],
    ],
  ])
  for (const { table, policies } of rows)
    assert.equal(policies, [all, ...(further.get(table) ?? [own])].join('; '), `${table}. ${remedy}`)
  assert.equal(rows.length, owned.length)
})

test('no runtime role is powerful, owns something or is a member of another role', async () => {
  const { rows } = await withClient(database.connectionString, (client) =>
    client.query(
      `select rolname from pg_roles r
        where rolname = any ($1) and (rolsuper or rolbypassrls or rolcreaterole or rolreplication or rolcanlogin
              or exists (select from pg_auth_members where member = r.oid) or exists (select from pg_class
                where relowner = r.oid))`,
      [[appRole, systemRole]],
    ),
  )
  assert.deepEqual(rows, [])
})

test('every row of every table says which partner it belongs to, except in tables that are listed here with a reason', async () => {
  const { rows } = await withClient(database.connectionString, (client) =>
    client.query<{ name: string }>(`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p')
         and not exists (select from pg_attribute a
                          where a.attrelid = c.oid and a.attname = 'partner_id' and a.attnotnull)
       order by c.relname collate "C"`),
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(ofNoPartner),
    `Give the table a column "partner_id text not null", or name it in this file with the reason. ${remedy}`,
  )
})

test('the roles that use a table have been granted access to it, and nothing is granted to PUBLIC', async () => {
  await withClient(database.connectionString, async (client) => {
    const { rows: ungranted } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'simulated_processor')
          and c.relname <> all ($2)
          and not exists (select from unnest($1::text[]) role
                           where has_any_column_privilege(role, c.oid, 'select, insert')
                             or has_table_privilege(role, c.oid, 'delete'))`,
      [[appRole, systemRole], onlyForOwner],
    )
    assert.deepEqual(
      ungranted.map(({ name }) => name),
      [],
      `The program cannot use these tables. ${remedy}`,
    )
    const { rows: toAll } = await client.query(
      `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) a
        where n.nspname in ('public', 'simulated_processor') and a.grantee = 0`,
    )
    assert.deepEqual(toAll, [])
  })
})

test('every partition, whether created by a migration or by a job, has forced row-level security, no grants, and no policy for anybody but its owner', async () => {
  await withClient(database.connectionString, async (client) => {
    await client.query(`select maintain_delivery_history(now()), maintain_audit_log(now() - interval '6 years')`)
    await client.query(`select make_audit_log_partition('2000-01-01')`)
    const { rows } = await client.query<{ parent: string; name: string; isSafe: boolean }>(
      `select inhparent::regclass::text as parent, relname as name,
              relrowsecurity and relforcerowsecurity and relacl is null
              and not exists (select from pg_policy where polrelid = c.oid and (polcmd <> 'r'
                or polroles <> array[c.relowner])) as "isSafe"
         from pg_class c join pg_inherits on inhrelid = c.oid where relkind = 'r' order by 1, 2`,
    )
    const parents = Object.groupBy(rows, ({ parent }) => parent)
    assert.deepEqual(Object.keys(parents), ['audit_log', 'delivery_history'])
    for (const partitions of Object.values(parents)) assert.ok((partitions?.length ?? 0) >= 4, 'they were found')
    assert.deepEqual(
      rows.filter(({ isSafe }) => !isSafe).map(({ name }) => name),
      [],
    )
  })
})
