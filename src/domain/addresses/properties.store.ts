import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { ImportedProperty } from './import/import-row.ts'
import type { Property, PropertySource, SupplierName } from './property.ts'
import type { SuppliedHome } from './suppliers/address-supplier.ts'

const propertyColumns = sql`
  address_uid as "addressUid", address_line1 as "addressLine1", address_line2 as "addressLine2",
  city, county, country, postcode, uprn, mpan, mprn, source, special_case as "specialCase"`

/** The homes at a postcode in its normal form, in no order. */
export function listByPostcode(db: Queryable, postcode: string): Promise<Property[]> {
  return db.query<Property>(sql`select ${propertyColumns} from properties where postcode = ${postcode}`)
}

/** Those of these homes that are at this postcode now, in no order. */
export function listAtPostcode(db: Queryable, addressUids: readonly string[], postcode: string): Promise<Property[]> {
  return db.query<Property>(sql`
    select ${propertyColumns} from properties
    where address_uid = any(${[...addressUids]}::text[]) and postcode = ${postcode}`)
}

/** The home with this identifier, or null. */
export async function findByAddressUid(db: Queryable, addressUid: string): Promise<Property | null> {
  const rows = await db.query<Property>(
    sql`select ${propertyColumns} from properties where address_uid = ${addressUid}`,
  )
  return rows[0] ?? null
}

/** Adds the homes that are not there yet, by addressUid and by UPRN; answers how many it added. */
export async function insertMissing(db: Queryable, properties: readonly Property[]): Promise<number> {
  const rows = await db.query(sql`
    insert into properties (address_uid, postcode, address_line1, address_line2, city, county, country,
                            uprn, mpan, mprn, source, special_case)
    select * from unnest(
      ${column(properties, 'addressUid')}::text[], ${column(properties, 'postcode')}::text[],
      ${column(properties, 'addressLine1')}::text[], ${column(properties, 'addressLine2')}::text[],
      ${column(properties, 'city')}::text[], ${column(properties, 'county')}::text[],
      ${column(properties, 'country')}::text[], ${column(properties, 'uprn')}::text[],
      ${column(properties, 'mpan')}::text[], ${column(properties, 'mprn')}::text[],
      ${column(properties, 'source')}::text[], ${column(properties, 'specialCase')}::text[])
    on conflict do nothing
    returning 1`)
  return rows.length
}

/**
 * Writes imported homes, each UPRN at most once: a known UPRN keeps its addressUid and is written only where something
 * differs. In the order of UPRNs, so that two imports at once wait for each other instead of locking each other out.
 */
export async function upsertImported(
  db: Queryable,
  properties: readonly ImportedProperty[],
): Promise<{ inserted: number; updated: number }> {
  // A row that was only inserted has no xmax; one that was there before was locked by this statement and has.
  const rows = await db.query<{ inserted: boolean }>(sql`
    insert into properties (address_uid, postcode, address_line1, address_line2, city, county, country,
                            uprn, mpan, mprn, source)
    select given.*, 'import' from unnest(
      ${column(properties, 'addressUid')}::text[], ${column(properties, 'postcode')}::text[],
      ${column(properties, 'addressLine1')}::text[], ${column(properties, 'addressLine2')}::text[],
      ${column(properties, 'city')}::text[], ${column(properties, 'county')}::text[],
      ${column(properties, 'country')}::text[], ${column(properties, 'uprn')}::text[],
      ${column(properties, 'mpan')}::text[], ${column(properties, 'mprn')}::text[]
    ) as given (address_uid, postcode, address_line1, address_line2, city, county, country, uprn, mpan, mprn)
    order by uprn
    on conflict (uprn) do update set
      postcode = excluded.postcode, address_line1 = excluded.address_line1, address_line2 = excluded.address_line2,
      city = excluded.city, county = excluded.county, country = excluded.country,
      mpan = excluded.mpan, mprn = excluded.mprn, source = excluded.source, special_case = null, updated_at = now()
    where (properties.postcode, properties.address_line1, properties.address_line2, properties.city, properties.county,
           properties.country, properties.mpan, properties.mprn, properties.source)
      is distinct from
          (excluded.postcode, excluded.address_line1, excluded.address_line2, excluded.city, excluded.county,
           excluded.country, excluded.mpan, excluded.mprn, excluded.source)
    returning (xmax = 0) as inserted`)
  const inserted = rows.filter((row) => row.inserted).length
  return { inserted, updated: rows.length - inserted }
}

/**
 * Writes what a supplier says of homes, each UPRN at most once, and answers their addressUids in the order given. A known
 * UPRN keeps its addressUid and its meters, which a supplier knows nothing about, and is written only where something
 * differs. In the order of UPRNs, as above. `addressUid`: used where the UPRN is new.
 */
export async function upsertSupplied(
  db: Queryable,
  supplier: SupplierName,
  homes: readonly (SuppliedHome & { addressUid: string })[],
): Promise<string[]> {
  await db.query(sql`
    insert into properties (address_uid, postcode, address_line1, address_line2, city, county, country, uprn, source)
    select given.*, ${supplier} from unnest(
      ${column(homes, 'addressUid')}::text[], ${column(homes, 'postcode')}::text[],
      ${column(homes, 'addressLine1')}::text[], ${column(homes, 'addressLine2')}::text[],
      ${column(homes, 'city')}::text[], ${column(homes, 'county')}::text[],
      ${column(homes, 'country')}::text[], ${column(homes, 'uprn')}::text[]
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
  const uprns = column(homes, 'uprn')
  const rows = await db.query<{ addressUid: string }>(sql`
    select address_uid as "addressUid" from properties join unnest(${uprns}::text[]) with ordinality as given (uprn, place)
      using (uprn) order by place`)
  return rows.map(({ addressUid }) => addressUid)
}

/** How many homes there are of one source, one postcode area and one distributor (null without an MPAN). */
export function countByAreaAndDistributor(
  db: Queryable,
): Promise<{ source: PropertySource; area: string; distributorId: string | null; properties: number }[]> {
  return db.query(sql`
    select source, substring(postcode from '^[A-Z]+') as area, left(mpan, 2) as "distributorId", count(*)::int as properties
    from properties
    group by 1, 2, 3
    order by 1, 2, 3`)
}

/** How many sample homes there are of one postcode and one distributor (null without an MPAN), in order of postcodes. */
export function countSamplesByPostcode(
  db: Queryable,
): Promise<{ postcode: string; distributorId: string | null; properties: number }[]> {
  return db.query(sql`
    select postcode, left(mpan, 2) as "distributorId", count(*)::int as properties
    from properties where source = 'sample'
    group by 1, 2
    order by 1, 2`)
}

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name])
}
