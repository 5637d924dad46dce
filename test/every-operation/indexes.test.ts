import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withClient } from '../isolation/owned-tables.ts'
import { createTestDatabase } from '../support/postgres.ts'

/*
 * How the rows of partners' tables are found. A plan that was made while a table was empty takes any index that begins
 * with the partner for as good as the key, and keeps it while the table grows (test/cost/filtered-rows.full.test.ts).
 */

const database = await createTestDatabase()
after(() => database.drop())

interface Index {
  table: string
  index: string
  columns: (string | null)[]
  beginsWithTime: boolean
  firstMayBeNull: boolean
  isUnique: boolean
  isPartial: boolean
}

/** The indexes of the tables with partners' rows. An expression is null among the columns. */
const { rows: indexes } = await withClient(database.connectionString, (client) =>
  client.query<Index>(`select t.relname as "table", i.relname as index, x.indisunique as "isUnique",
    x.indpred is not null as "isPartial",
          exists (select from pg_attribute where attrelid = t.oid and attnum = x.indkey[0]
            and atttypid = 'timestamptz'::regtype) as "beginsWithTime",
          exists (select from pg_attribute where attrelid = t.oid and attnum = x.indkey[0] and not attnotnull)
            as "firstMayBeNull",
          array(select a.attname::text from unnest(x.indkey::int2[]) with ordinality as k (number, place)
                  left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number order by k.place) as columns
     from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where t.relnamespace = 'public'::regnamespace and not t.relispartition
      and exists (select from pg_attribute where attrelid = t.oid and attname = 'partner_id')
    order by 1, 2`),
)

/** Unique keys across partners. */
const withoutPartner: Readonly<Record<string, string>> = {
  credentials_pkey: 'a client names itself without its partner',
}

/** Indexes without a condition that begin with the partner or a time, in tables with others. */
const withoutCondition: Readonly<Record<string, string>> = {
  audit_log_pkey: 'the log is only ever read in its order',
  commission_terms_by_day: 'a partner has a few terms',
  commission_terms_pkey: 'a partner has a few terms',
  credentials_by_partner: 'a partner has a few credentials',
  idempotency_keys_by_expiry: 'a key is found by the conflict with its insert',
  processor_deletions_due: 'the table holds what is due, and hardly anything else',
  rate_card_partners_by_partner: 'a partner has a few cards',
  sandbox_requests_by_age: 'the list is only ever read in its order',
  sandbox_requests_pkey: 'the list is only ever read in its order',
}

test('every foreign key to rows that are ever deleted has an index that finds what refers to a row', async () => {
  const { rows } = await withClient(database.connectionString, (client) =>
    client.query<{ key: string }>(`
      select conrelid::regclass || ' (' || string_agg(attname, ', ') || ')' as key
        from pg_constraint c join pg_attribute a on a.attrelid = conrelid and a.attnum = any (conkey)
       where contype = 'f' and conparentid = 0
         and exists (select from pg_roles where rolname in ('housebill_app', 'housebill_system')
                                            and has_table_privilege(rolname, confrelid, 'delete'))
         and not exists (
           select from pg_index x join pg_attribute f on f.attrelid = indrelid and f.attnum = indkey[0]
            where indrelid = conrelid and f.attnum = any (conkey)
              and (f.attname <> 'partner_id' or cardinality(conkey) = 1)
              and (indpred is null or pg_get_expr(indpred, indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))
       group by c.oid, conrelid order by 1`),
  )
  assert.deepEqual(rows, [])
})

test('every unique key of a partner table includes the partner, unless a reason is given', () => {
  const found = indexes.filter(({ isUnique, columns }) => isUnique && !columns.includes('partner_id'))
  assert.deepEqual(
    found.map(({ index }) => index),
    Object.keys(withoutPartner).sort(),
  )
})

test('every foreign key from one partner table to another includes the partner', async () => {
  const { rows } = await withClient(database.connectionString, (client) =>
    client.query<{ name: string }>(`
      select k.conrelid::regclass || ' ' || k.conname as name from pg_constraint k
       where k.contype = 'f' and k.conparentid = 0
         and (select count(*) from pg_attribute where attname = 'partner_id' and attrelid in (k.conrelid, k.confrelid)) = 2
         and not exists (select from pg_attribute a
                          where a.attrelid = k.conrelid and a.attname = 'partner_id' and a.attnum = any(k.conkey))`),
  )
  assert.deepEqual(rows, [])
})

test('in a table with several indexes, those of lists and sweeps have a condition that others cannot meet', () => {
  const found = indexes.filter(
    ({ table, columns, beginsWithTime, isPartial }) =>
      (columns[0] === 'partner_id' || beginsWithTime) &&
      !isPartial &&
      indexes.filter((other) => other.table === table).length > 1,
  )
  assert.deepEqual(
    found.map(({ index }) => index),
    Object.keys(withoutCondition).sort(),
  )
})

test('an index whose first column may be null has a condition, or it is as good as the key while all are null', () => {
  const found = indexes.filter(({ firstMayBeNull, isPartial }) => firstMayBeNull && !isPartial)
  assert.deepEqual(
    found.map(({ index }) => index),
    [],
  )
})
