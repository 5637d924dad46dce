import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ServiceStatus } from '../../quoting/packages/service-status.ts'

/** What was reported about the supply of a service of a home. */
export interface ServiceReport {
  serviceId: string
  status: ServiceStatus
  /** The day on which the status begins or began. */
  effectiveOn: IsoDate
  /** Why, in the operator's words; null if it does not say. Contains no personal data. */
  reason: string | null
  /** The supplier's reference; null if there is none. */
  supplierReference: string | null
}

type OfQuote = { partnerId: Id<'partner'>; quoteId: Id<'quote'> }

/** Adds a report; the latest one counts. */
export async function insertServiceReport(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId }: OfQuote,
  { serviceId, status, effectiveOn, reason, supplierReference }: ServiceReport,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into service_reports (partner_id, quote_id, service_id, status, effective_on, reason, supplier_reference,
                                 reported_at)
    values (${partnerId}, ${quoteId}, ${serviceId}, ${status}, ${effectiveOn}, ${reason}, ${supplierReference},
            ${now})`)
}

/** The latest report of a service; undefined if there is none. The caller holds the quote's row lock. */
export async function findServiceReport(
  tx: Tx,
  { partnerId, quoteId }: OfQuote,
  serviceId: string,
): Promise<ServiceReport | undefined> {
  const [row] = await tx.query<ServiceReport>(sql`
    select service_id as "serviceId", status, effective_on::text as "effectiveOn", reason,
           supplier_reference as "supplierReference"
      from service_reports where partner_id = ${partnerId} and quote_id = ${quoteId} and service_id = ${serviceId}
     order by report_number desc limit 1`)
  return row
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
