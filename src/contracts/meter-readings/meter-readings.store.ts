import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Contract } from '../contract.ts'
import type { RecordedChange } from '../operator-feeds/record-contract-change.ts'
import type { MeterReading } from './meter-reading.ts'

type OfQuote = Pick<Contract, 'partnerId' | 'quoteId'>

/** The home's readings of the days from `from` to `to`, by day. */
export function listReadings(
  db: Queryable,
  { partnerId, quoteId }: OfQuote,
  { from, to }: { from: IsoDate; to: IsoDate },
): Promise<MeterReading[]> {
  return db.query<MeterReading>(sql`
    select service, read_on::text as "readOn", reading, reported_at as "reportedAt" from meter_readings
     where partner_id = ${partnerId} and quote_id = ${quoteId} and read_on between ${from} and ${to}
     order by read_on, service`)
}

/** Stores a reading; it replaces an earlier one of the same meter point and day. The caller holds the quote's row lock. */
export async function putReading(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId, customerId }: Pick<Contract, 'partnerId' | 'quoteId' | 'customerId'>,
  { service, readOn, reading, reportedAt }: MeterReading,
): Promise<void> {
  await tx.query(sql`
    insert into meter_readings (partner_id, quote_id, customer_id, service, read_on, reading, reported_at)
    values (${partnerId}, ${quoteId}, ${customerId}, ${service}, ${readOn}, ${reading}, ${reportedAt})
    on conflict (quote_id, partner_id, service, read_on) do update
       set customer_id = excluded.customer_id, reading = excluded.reading, reported_at = excluded.reported_at`)
}
