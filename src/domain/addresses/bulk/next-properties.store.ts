import type { BulkSession } from '../../../db/bulk/bulk-session.ts'
import type { Queryable } from '../../../db/database.ts'
import { composedSql, sql } from '../../../db/sql.ts'
import type { ImportedProperty } from '../import/import-row.ts'
import type { PropertySource } from '../property.ts'

/** What is compared with a row of the file, to tell whether anything changes. */
export type StoredProperty = ImportedProperty & { source: PropertySource; updatedAt: string }

/** About how many properties are stored. */
export async function estimateProperties(db: Queryable): Promise<number> {
  const rows = await db.query<{ properties: number }>(sql`
    select greatest(reltuples, 0)::float8 as properties from pg_class where oid = 'properties'::regclass`)
  return rows[0]?.properties ?? 0
}

/** The stored properties with these UPRNs, unordered. */
export function listStoredProperties(db: Queryable, uprns: readonly string[]): Promise<StoredProperty[]> {
  return db.query(sql`
    select address_uid as "addressUid", address_line1 as "addressLine1", address_line2 as "addressLine2", city, county,
           country, postcode, uprn, mpan, mprn, source, updated_at::text as "updatedAt"
      from properties where uprn = any(${[...uprns]}::text[])`)
}

/** Creates an empty table that is like `properties` but has no indexes yet. An older one is dropped. */
export async function createNextProperties(session: Queryable): Promise<void> {
  await session.query(sql`drop table if exists next_properties`)
  await session.query(sql`create table next_properties (like properties including all excluding indexes)`)
  // It would only compete with the import.
  await session.query(sql`alter table next_properties set (autovacuum_enabled = false)`)
}

/** Copies rows in the text format of COPY, with the columns in the order given here. */
export async function copyNextProperties(session: BulkSession, lines: AsyncIterable<string>): Promise<void> {
  const statement = sql`
    copy next_properties (address_uid, postcode, address_line1, address_line2, city, county, country, uprn, mpan, mprn,
                          source, updated_at) from stdin`
  await session.copyIn(statement, lines)
}

/** A row for `copyNextProperties`. Its values must be free of control characters. */
export function copyLine(home: ImportedProperty, updatedAt: string): string {
  const { addressUid, postcode, addressLine1, addressLine2, city, county, country, uprn, mpan, mprn } = home
  const text = `${addressLine1}\t${addressLine2}\t${city}\t${county}`
  const escaped = text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
  return `${addressUid}\t${postcode}\t${escaped}\t${country}\t${uprn}\t${mpan ?? '\\N'}\t${mprn ?? '\\N'}\timport\t${updatedAt}\n`
}

/** The UPRNs of `next_properties`, in lists of some hundred thousand. */
export async function* listNextUprns(session: Queryable): AsyncGenerator<string[]> {
  const pagesAtOnce = 10_000
  const [size] = await session.query<{ pages: number }>(sql`
    select (pg_relation_size('next_properties') / current_setting('block_size')::int)::int as pages`)
  for (let page = 0; page < (size?.pages ?? 0); page += pagesAtOnce) {
    const [found] = await session.query<{ uprns: string | null }>(sql`
      select string_agg(uprn, ',') as uprns from next_properties
       where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + pagesAtOnce},0)`}::tid`)
    if (found?.uprns != null) yield found.uprns.split(',')
  }
}

/** The indexes of `properties`: the statement that builds each for `next_properties`. */
export async function listIndexStatements(session: Queryable): Promise<string[]> {
  const rows = await session.query<{ statement: string }>(sql`
    select format('create %s if not exists %I on next_properties %s',
                  case when i.indisunique then 'unique index' else 'index' end,
                  'next_' || c.relname, substring(pg_get_indexdef(c.oid) from 'USING .*')) as statement
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'properties'::regclass order by c.relname`)
  return rows.map(({ statement }) => statement)
}

/** Builds one index, in memory if it fits. */
export async function buildIndex(session: Queryable, statement: string): Promise<void> {
  await session.query(sql`set maintenance_work_mem = '256MB'`)
  await session.query(composedSql(statement))
}

/** Copies the properties that the file does not have. */
export async function carryOverProperties(session: Queryable): Promise<void> {
  await session.query(sql`
    insert into next_properties
    select p.* from properties p where not exists (select from next_properties n where n.uprn = p.uprn)`)
  await session.query(sql`analyze next_properties`)
}

/** Waits at most this long for a lock, during which lookups wait behind it. */
export async function lockProperties(session: Queryable, mode: 'against writes' | 'against reads'): Promise<void> {
  await session.query(sql`set local lock_timeout = '500ms'`)
  await session.query(
    mode === 'against writes'
      ? sql`lock table properties in share row exclusive mode`
      : sql`lock table properties in access exclusive mode`,
  )
}

export async function pause(session: Queryable, seconds: number): Promise<void> {
  await session.query(sql`select pg_sleep(${seconds})`)
}

/** The UPRNs of what was written to `properties` since the import began. */
export async function listLateUprns(session: Queryable): Promise<string[]> {
  // A row's xmin is the transaction that wrote it.
  const rows = await session.query<{ uprn: string }>(sql`
    select p.uprn from properties p, property_imports i where age(p.xmin) <= age(i.since::xid)`)
  return rows.map(({ uprn }) => uprn)
}

/**
 * Applies late writes to `next_properties`: a property that the file does not have is copied again, and one that it has keeps its
 * addressUid. Returns how many of the file's properties were stored only after they had been compared.
 */
export async function applyLateWrites(session: Queryable, uprns: readonly string[]): Promise<number> {
  // Rows with the xmin `carried_by` are copies of rows of `properties`.
  await session.query(sql`
    delete from next_properties n using property_imports i
     where n.uprn = any(${[...uprns]}::text[]) and n.xmin = i.carried_by::xid`)
  const replaced = await session.query(sql`
    with written as (
      insert into next_properties
      select p.* from properties p where p.uprn = any(${[...uprns]}::text[])
      on conflict (uprn) do update set address_uid = excluded.address_uid
        where next_properties.address_uid <> excluded.address_uid
      returning xmax <> 0 as is_replaced)
    select from written where is_replaced`)
  return replaced.length
}

/** Puts `next_properties` in the place of `properties`, with the same owner, rights, constraints and names of indexes. */
export async function swapProperties(session: Queryable): Promise<void> {
  const statements = await session.query<{ statement: string }>(sql`
    select format('alter table properties owner to %I', relowner::regrole) as statement
      from pg_class where oid = 'properties'::regclass
    union all
    select case when con.oid is null then format('alter index %I rename to %I', 'next_' || c.relname, c.relname)
                else format('alter table properties add constraint %I %s using index %I', con.conname,
                            case con.contype when 'p' then 'primary key' else 'unique' end, 'next_' || c.relname) end
      from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint con on con.conindid = c.oid
     where i.indrelid = 'properties'::regclass
    union all
    select format('grant %s on properties to %s%s', privilege_type,
                  case grantee when 0 then 'public' else grantee::regrole::text end,
                  case when is_grantable then ' with grant option' else '' end)
      from pg_class, aclexplode(relacl) where oid = 'properties'::regclass
    union all
    select format('grant %s (%I) on properties to %s%s', privilege_type, attname,
                  case grantee when 0 then 'public' else grantee::regrole::text end,
                  case when is_grantable then ' with grant option' else '' end)
      from pg_attribute, aclexplode(attacl) where attrelid = 'properties'::regclass and not attisdropped`)
  await session.query(sql`drop table properties`)
  await session.query(sql`alter table next_properties rename to properties`)
  await session.query(sql`alter table properties reset (autovacuum_enabled)`)
  for (const { statement } of statements) await session.query(composedSql(statement))
}
