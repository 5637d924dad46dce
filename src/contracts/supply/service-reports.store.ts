import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { RecordedChange } from '../operator-feeds/record-contract-change.ts'
import type { ServiceReport } from './supply-report.ts'

type OfQuote = { partnerId: Id<'partner'>; quoteId: Id<'quote'> }

/** The latest report of a service, with the days by which an erroneous transfer must be answered and resolved. */
export interface LatestReport extends ServiceReport {
  answerBy: IsoDate | null
  resolveBy: IsoDate | null
}

/** Adds a report; the latest one counts. */
export async function insertServiceReport(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId }: OfQuote,
  report: LatestReport,
  now: Date,
): Promise<void> {
  const { serviceId, status, effectiveOn, reason, comment, supplierReference } = report
  const { expectedOn, newOccupierFrom, meterSerial, answeredOn, answerBy, resolveBy } = report
  await tx.query(sql`
    insert into service_reports (partner_id, quote_id, service_id, status, effective_on, reason, comment,
                                 supplier_reference, expected_on, new_occupier_from, meter_serial, answered_on,
                                 answer_by, resolve_by, reported_at)
    values (${partnerId}, ${quoteId}, ${serviceId}, ${status}, ${effectiveOn}, ${reason}, ${comment},
            ${supplierReference}, ${expectedOn}, ${newOccupierFrom}, ${meterSerial}, ${answeredOn},
            ${answerBy}, ${resolveBy}, ${now})`)
}

/** The latest report of each service of the quote of a row, as a JSON object by serviceId. */
export function latestReports(of: Sql): Sql {
  return sql`
  (select coalesce(jsonb_object_agg(r.service_id, jsonb_build_object(
            'serviceId', r.service_id, 'status', r.status, 'effectiveOn', r.effective_on, 'reason', r.reason,
            'comment', r.comment, 'supplierReference', r.supplier_reference, 'expectedOn', r.expected_on,
            'newOccupierFrom', r.new_occupier_from, 'meterSerial', r.meter_serial, 'answeredOn', r.answered_on,
            'answerBy', r.answer_by, 'resolveBy', r.resolve_by)), '{}')
     from (select distinct on (service_id) * from service_reports
            where partner_id = ${of}.partner_id and quote_id = ${of}.quote_id
            order by service_id, report_number desc) r)`
}

/**
 * The latest report of each service of a home, by serviceId. Whoever decides by it holds the quote's row lock.
 * `newOccupierFrom` is the supplier's word that somebody else occupies the home.
 */
export async function listLatestReports(
  db: Queryable,
  { partnerId, quoteId }: OfQuote,
): Promise<Record<string, LatestReport | undefined>> {
  const [row] = await db.query<{ reports: Record<string, LatestReport> }>(sql`
    select ${latestReports(sql`q`)} as reports from quotes q where q.partner_id = ${partnerId} and q.quote_id = ${quoteId}`)
  return row?.reports ?? {}
}

/**
 * When the household of a quote agreed to the first contract that took effect (null if none did), and whether an
 * earlier contract of that home, on another of the partner's quotes, covers a day.
 */
export async function findSupplyDays(
  tx: Tx,
  { partnerId, quoteId }: OfQuote,
  { addressUid, day }: { addressUid: string; day: IsoDate },
): Promise<{ agreedAt: Date | null; isCoveredEarlier: boolean }> {
  const [row] = await tx.query<{ agreedAt: Date | null; isCoveredEarlier: boolean }>(sql`
    select (select min(agreed_at) from contracts
             where partner_id = ${partnerId} and quote_id = ${quoteId} and effective_at is not null) as "agreedAt",
           exists (select from quotes o join contracts k on k.partner_id = o.partner_id and k.quote_id = o.quote_id
                    where o.partner_id = ${partnerId} and o.address_uid = ${addressUid} and o.quote_id <> ${quoteId}
                      and o.stage = 'completed'
                      and o.contract_end_date >= ${day} and k.effective_at is not null
                      and k.starts_on <= ${day} and k.last_day >= ${day}) as "isCoveredEarlier"`)
  return row ?? { agreedAt: null, isCoveredEarlier: false }
}
