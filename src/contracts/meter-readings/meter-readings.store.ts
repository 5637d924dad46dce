import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Service } from '../../quoting/packages/services.ts'
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
    select service, read_on::text as "readOn", register, meter_serial as "meterSerial", reading,
           reported_at as "reportedAt" from meter_readings
     where partner_id = ${partnerId} and quote_id = ${quoteId} and read_on between ${from} and ${to}
     order by read_on, service, register`)
}

/**
 * Stores a reading; it replaces an earlier one of the same register and day. `supplierSerial`: the serial number of the
 * meter that the supplier has, if that is another. The caller holds the quote's row lock.
 */
export async function putReading(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId, customerId }: Pick<Contract, 'partnerId' | 'quoteId' | 'customerId'>,
  { service, readOn, register, meterSerial, reading, reportedAt }: MeterReading,
  supplierSerial: string | null,
): Promise<void> {
  await tx.query(sql`
    insert into meter_readings (partner_id, quote_id, customer_id, service, read_on, register, meter_serial, supplier_serial,
                                reading, reported_at)
    values (${partnerId}, ${quoteId}, ${customerId}, ${service}, ${readOn}, ${register}, ${meterSerial},
            ${supplierSerial}, ${reading}, ${reportedAt})
    on conflict (quote_id, partner_id, service, read_on, register) do update
       set customer_id = excluded.customer_id, meter_serial = excluded.meter_serial,
           supplier_serial = excluded.supplier_serial, reading = excluded.reading, reported_at = excluded.reported_at`)
}

/** Notes with the readings of a meter where the supplier has another. The caller holds the quote's row lock. */
export async function compareSerials(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId }: OfQuote,
  { service, supplierSerial }: { service: Service; supplierSerial: string | null },
): Promise<void> {
  await tx.query(sql`
    update meter_readings set supplier_serial = nullif(${supplierSerial}::text, meter_serial)
     where partner_id = ${partnerId} and quote_id = ${quoteId} and service = ${service} and meter_serial is not null
       and supplier_serial is distinct from nullif(${supplierSerial}::text, meter_serial)`)
}
