import type { BulkSession } from '../../../db/bulk/bulk-session.ts'
import type { Queryable } from '../../../db/database.ts'
import { composedSql, sql } from '../../../db/sql.ts'
import type { ImportedProperty } from '../import/import-row.ts'

/** A property that is already stored. */
export interface StoredProperty {
  addressUid: string
  uprn: string
  /** See `contentOf`. */
  content: string
  updatedAt: string
}

/** Stands for null in COPY and in `content`. No property has a control character. */
const nullMark = '\u0001'

/**
 * About how many properties are stored, and whether another table can take the place of theirs: not if a view, a foreign key, a trigger,
 * a policy or a publication of the operator belongs to it.
 */
export async function describeProperties(db: Queryable): Promise<{ properties: number; isReplaceable: boolean }> {
  const rows = await db.query<{ properties: number; isReplaceable: boolean }>(sql`
    select greatest(reltuples, 0)::float8 as properties,
           not (relrowsecurity
                or exists (select from pg_depend
                            where refclassid = 'pg_class'::regclass and refobjid = c.oid and deptype = 'n'
                              and not exists (select from pg_constraint o where o.oid = objid and conrelid = c.oid))
                or exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal)
                or exists (select from pg_publication_rel where prrelid = c.oid)) as "isReplaceable"
      from pg_class c where oid = 'properties'::regclass`)
  const [found] = rows
  if (found === undefined) throw new Error('there is no table of properties')
  return found
}

/** The stored properties with these UPRNs, unordered. */
export function listStoredProperties(db: Queryable, uprns: readonly string[]): Promise<StoredProperty[]> {
  return db.query(sql`
    select address_uid as "addressUid", uprn, updated_at::text as "updatedAt",
           concat_ws(E'\t', postcode, address_line1, address_line2, city, county, country, uprn,
                     coalesce(mpan, ${nullMark}), coalesce(mprn, ${nullMark}), source) as content
      from properties where uprn = any(${[...uprns]}::text[])`)
}

/** Creates an empty table that is like `properties` but has no indexes yet. An older one is dropped. */
export async function createNextProperties(session: Queryable): Promise<void> {
  await session.query(sql`drop table if exists next_properties`)
  await session.query(sql`create table next_properties (like properties including all excluding indexes)`)
  // It would only compete with the import.
  await session.query(sql`alter table next_properties set (autovacuum_enabled = false)`)
}

/** Copies rows that `copyLine` has made. */
export async function copyNextProperties(session: BulkSession, lines: AsyncIterable<string>): Promise<void> {
  const statement = sql`
    copy next_properties (address_uid, updated_at, postcode, address_line1, address_line2, city, county, country, uprn, mpan,
                          mprn, source) from stdin (null E'\x01')`
  await session.copyIn(statement, lines)
}

/** What an import stores of a property, as one text: equal texts mean that nothing has changed. */
export function contentOf(home: ImportedProperty): string {
  const { postcode, addressLine1, addressLine2, city, county, country, uprn, mpan, mprn } = home
  const address = `${postcode}\t${addressLine1}\t${addressLine2}\t${city}\t${county}\t${country}\t${uprn}`
  return `${address}\t${mpan ?? nullMark}\t${mprn ?? nullMark}\timport`
}

/** A row for `copyNextProperties`. */
export function copyLine(addressUid: string, updatedAt: string, content: string): string {
  const escaped = content.includes('\\') ? content.replaceAll('\\', '\\\\') : content
  return `${addressUid}\t${updatedAt}\t${escaped}\n`
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
    select format('alter table properties owner to %s', relowner::regrole) as statement
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
