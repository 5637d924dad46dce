import type { AddressSupplierName } from '../platform/config/address-source.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { SuppliedProperty } from './address-suppliers/supplied-properties.ts'
import type { ImportedProperty } from './import/import-row.ts'
import type { StagedTable, StoredBatch } from './import/staged-rows.store.ts'
import type { Property, PropertySource } from './property.ts'

const propertyColumns = sql`
  address_uid as "addressUid", address_line1 as "addressLine1", address_line2 as "addressLine2",
  city, county, country, postcode, uprn, mpan, mprn, meter, source, special_case as "specialCase"`

/** The properties at a normalised postcode, unordered. */
export function listByPostcode(db: Queryable, postcode: string): Promise<Property[]> {
  return db.query<Property>(sql`select ${propertyColumns} from properties where postcode = ${postcode}`)
}

/** The properties with these addressUids that are still at this postcode, unordered. */
export function listByAddressUidsAndPostcode(
  db: Queryable,
  addressUids: readonly string[],
  postcode: string,
): Promise<Property[]> {
  return db.query<Property>(sql`
    select ${propertyColumns} from properties
    where address_uid = any(${[...addressUids]}::text[]) and postcode = ${postcode}`)
}

/** The property with this addressUid, or null. */
export async function findByAddressUid(db: Queryable, addressUid: string): Promise<Property | null> {
  const rows = await db.query<Property>(
    sql`select ${propertyColumns} from properties where address_uid = ${addressUid}`,
  )
  return rows[0] ?? null
}

/** The property with this UPRN, or null. */
export async function findStoredByUprn(db: Queryable, uprn: string): Promise<Property | null> {
  const rows = await db.query<Property>(sql`select ${propertyColumns} from properties where uprn = ${uprn}`)
  return rows[0] ?? null
}

/** At most 200 properties of a sector whose address has the word, or the number with or without a letter. */
export function listInSector(db: Queryable, sector: string, word: string): Promise<Property[]> {
  return db.query<Property>(sql`
    select ${propertyColumns} from properties
    where postcode like ${`${sector}%`} and address_line1 || ' ' || address_line2 ~* ${`\\m${word}[a-z]?\\M`}
    order by address_uid limit 200`)
}

/** How many lines a partner has had matched on a day. */
export async function findMatchedLines(db: Queryable, partnerId: Id<'partner'>, day: string): Promise<number> {
  const [row] = await db.query<{ lines: number }>(sql`
    select lines from address_match_counts where partner_id = ${partnerId} and day = ${day}`)
  return row?.lines ?? 0
}

/**
 * Counts the lines that a partner had matched on a day, and returns how many it has had on it. Two calls at once are
 * counted one after the other.
 */
export async function countMatchedLines(
  tx: Tx,
  { partnerId, day, lines }: { partnerId: Id<'partner'>; day: string; lines: number },
): Promise<number> {
  const [row] = await tx.query<{ lines: number }>(sql`
    insert into address_match_counts as c (partner_id, day, lines) values (${partnerId}, ${day}, ${lines})
    on conflict (partner_id) do update
      set day = excluded.day, lines = excluded.lines + case when c.day = excluded.day then c.lines else 0 end
    returning lines`)
  return row?.lines ?? 0
}

/** Adds the properties whose addressUid and UPRN are both new. Returns how many it added. */
export async function insertMissingProperties(db: Queryable, properties: readonly Property[]): Promise<number> {
  const rows = await db.query(sql`
    insert into properties (address_uid, postcode, address_line1, address_line2, city, county, country,
                            uprn, mpan, mprn, meter, source, special_case)
    select * from unnest(
      ${column(properties, 'addressUid')}::text[], ${column(properties, 'postcode')}::text[],
      ${column(properties, 'addressLine1')}::text[], ${column(properties, 'addressLine2')}::text[],
      ${column(properties, 'city')}::text[], ${column(properties, 'county')}::text[],
      ${column(properties, 'country')}::text[], ${column(properties, 'uprn')}::text[],
      ${column(properties, 'mpan')}::text[], ${column(properties, 'mprn')}::text[],
      ${properties.map(({ meter }) => meter && JSON.stringify(meter))}::jsonb[],
      ${column(properties, 'source')}::text[], ${column(properties, 'specialCase')}::text[])
    on conflict do nothing
    returning 1`)
  return rows.length
}

/** The temporary table of an import of properties. */
export const stagedProperties: StagedTable<ImportedProperty> = {
  definition: sql`address_uid text, postcode text, address_line1 text, address_line2 text, city text, county text,
                  country text, uprn text, mpan text, mprn text, meter jsonb`,
  content: sql`postcode, address_line1, address_line2, city, county, country, mpan, mprn, meter`,
  storedIn: sql`properties`,
  values: (row) => [
    ...[row.addressUid, row.postcode, row.addressLine1, row.addressLine2, row.city, row.county, row.country],
    ...[row.uprn, row.mpan, row.mprn, row.meter && JSON.stringify(row.meter)],
  ],
}

/**
 * Stores the rows of an import that follow this UPRN in the temporary table `staged`, at most `limit`, in UPRN order. A
 * property that is already stored keeps its addressUid, and facts about its meters that the file does not give; it is
 * updated only if something differs.
 */
export async function storeStagedProperties(
  session: Queryable,
  afterUprn: string,
  limit: number,
): Promise<StoredBatch> {
  // xmax is 0 for an inserted row, and set for an updated one.
  const [batch] = await session.query<StoredBatch>(sql`
    with batch as (select * from staged where uprn > ${afterUprn} order by uprn limit ${limit}),
    written as (
      insert into properties as p (address_uid, postcode, address_line1, address_line2, city, county, country,
                                   uprn, mpan, mprn, meter, source)
      select b.address_uid, b.postcode, b.address_line1, b.address_line2, b.city, b.county, b.country, b.uprn, b.mpan,
             b.mprn, coalesce(s.meter || b.meter, b.meter, s.meter), 'import'
        from batch b left join properties s on s.uprn = b.uprn
       where (s.postcode, s.address_line1, s.address_line2, s.city, s.county, s.country, s.mpan, s.mprn, s.source)
             is distinct from
             (b.postcode, b.address_line1, b.address_line2, b.city, b.county, b.country, b.mpan, b.mprn, 'import')
          or not coalesce(s.meter @> b.meter, b.meter is null)
       order by b.uprn
      on conflict (uprn) do update set
        postcode = excluded.postcode, address_line1 = excluded.address_line1, address_line2 = excluded.address_line2,
        city = excluded.city, county = excluded.county, country = excluded.country,
        mpan = excluded.mpan, mprn = excluded.mprn, meter = excluded.meter, source = excluded.source,
        special_case = null, updated_at = now()
      where (p.postcode, p.address_line1, p.address_line2, p.city, p.county, p.country, p.mpan, p.mprn, p.meter,
             p.source)
        is distinct from (excluded.postcode, excluded.address_line1, excluded.address_line2, excluded.city,
                          excluded.county, excluded.country, excluded.mpan, excluded.mprn, excluded.meter,
                          excluded.source)
      returning (xmax = 0) as inserted)
    select (select max(uprn) from batch) as "lastUprn", (select count(*) from batch)::int as rows,
           (count(*) filter (where inserted))::int as inserted, (count(*) filter (where not inserted))::int as updated
      from written`)
  if (batch === undefined) throw new Error('a batch of staged properties has no result')
  return batch
}

/**
 * Writes a supplier's properties, each with a different UPRN, and returns their addressUids in the given order. A
 * stored UPRN keeps its addressUid and its meters, which suppliers do not have, and is updated only if something
 * differs. Writes in UPRN order so that two lookups never deadlock. `addressUid` is used only for a new UPRN.
 */
export async function upsertSuppliedProperties(
  db: Queryable,
  supplier: AddressSupplierName,
  suppliedProperties: readonly (SuppliedProperty & { addressUid: string })[],
): Promise<string[]> {
  await db.query(sql`
    insert into properties (address_uid, postcode, address_line1, address_line2, city, county, country, uprn, source)
    select given.*, ${supplier} from unnest(
      ${column(suppliedProperties, 'addressUid')}::text[], ${column(suppliedProperties, 'postcode')}::text[],
      ${column(suppliedProperties, 'addressLine1')}::text[], ${column(suppliedProperties, 'addressLine2')}::text[],
      ${column(suppliedProperties, 'city')}::text[], ${column(suppliedProperties, 'county')}::text[],
      ${column(suppliedProperties, 'country')}::text[], ${column(suppliedProperties, 'uprn')}::text[]
    ) as given (address_uid, postcode, address_line1, address_line2, city, county, country, uprn)
    order by uprn
    on conflict (uprn) do update set
      postcode = excluded.postcode, address_line1 = excluded.address_line1, address_line2 = excluded.address_line2,
      city = excluded.city, county = excluded.county, country = excluded.country,
      source = excluded.source, special_case = null, updated_at = now()
    where (properties.postcode, properties.address_line1, properties.address_line2, properties.city, properties.county,
           properties.country, properties.source)
      is distinct from
          (excluded.postcode, excluded.address_line1, excluded.address_line2, excluded.city, excluded.county,
           excluded.country, excluded.source)`)
  const uprns = column(suppliedProperties, 'uprn')
  const rows = await db.query<{ addressUid: string }>(sql`
    select address_uid as "addressUid" from properties join unnest(${uprns}::text[]) with ordinality as given (uprn,
      ordinal)
      using (uprn) order by ordinal`)
  return rows.map(({ addressUid }) => addressUid)
}

/**
 * Counts properties by source, the first two characters of the postcode, and distributor, which is null for properties
 * without an MPAN. Reads every property, which can take minutes.
 */
export async function countByAreaAndDistributor(
  tx: Tx,
): Promise<{ source: PropertySource; postcodeStart: string; distributorId: string | null; properties: number }[]> {
  await tx.query(sql`set local statement_timeout = '30min'`)
  return tx.query(sql`
    select source, left(postcode, 2) as "postcodeStart", left(mpan, 2) as "distributorId", count(*)::int as properties
    from properties
    group by 1, 2, 3
    order by 1, 2, 3`)
}

/**
 * Counts the sample properties at these postcodes by postcode and distributor, in postcode order. The distributor is
 * null for properties without an MPAN.
 */
export function countSamplesByPostcode(
  db: Queryable,
  postcodes: readonly string[],
): Promise<{ postcode: string; distributorId: string | null; properties: number }[]> {
  return db.query(sql`
    select postcode, left(mpan, 2) as "distributorId", count(*)::int as properties
    from properties where source = 'sample' and postcode = any(${[...postcodes]}::text[])
    group by 1, 2
    order by 1, 2`)
}

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name])
}
