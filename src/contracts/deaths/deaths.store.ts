import type { Origin } from '../../platform/db/access.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'

/** What somebody said about a death. Only the operator sees it. */
export interface DeathReportDetails {
  reportedBy: Origin['actor'] | null
  /** The housemate who reported it on their pages; null for anybody else. */
  housemateId: Id<'tenant'> | null
  relationship: string
  diedOn: IsoDate | null
  /** Who deals with the estate, and how to reach them. */
  estate: string | null
  comment: string | null
}

/** `confirmed` or `lifted` by the operator; null while it is open. */
export type DeathOutcome = 'confirmed' | 'lifted'

/** A report that a customer has died. Times are on the partner's clock. */
export interface DeathReport extends DeathReportDetails {
  reportedAt: Date
  /** The day by which the operator confirms or lifts it. */
  dueOn: IsoDate
  /** Whether it holds e-mails and collection. */
  isHeld: boolean
  /** When the customer's e-mail address was last confirmed with a code since then; null if it was not. */
  signedInAt: Date | null
  outcome: DeathOutcome | null
  decidedAt: Date | null
}

interface About {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
}

const detailsColumn = 'death_reports.details'

/** The reports about a customer, the first one first. */
export async function listDeathReports(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, customerId }: About,
): Promise<DeathReport[]> {
  const rows = await db.query<Omit<DeathReport, keyof DeathReportDetails> & { id: Id<'death'>; details: string }>(sql`
    select death_report_id as id, details_encrypted as details, reported_at as "reportedAt", due_on::text as "dueOn",
           is_held as "isHeld", signed_in_at as "signedInAt", outcome, decided_at as "decidedAt"
      from death_reports where partner_id = ${partnerId} and customer_id = ${customerId}
     order by reported_at, death_report_id`)
  return rows.map(({ id, details, ...row }) => ({
    ...row,
    ...(JSON.parse(cipher.decrypt(details, { column: detailsColumn, row: id }).toString('utf8')) as DeathReportDetails),
  }))
}

/** Stores a report. The caller holds the quote's row lock. */
export async function insertDeathReport(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, customerId }: About,
  report: { quoteId: Id<'quote'>; details: DeathReportDetails; now: Date; dueOn: IsoDate; isHeld: boolean },
): Promise<void> {
  const id = newId('death')
  const details = cipher.encrypt(JSON.stringify(report.details), { column: detailsColumn, row: id })
  await tx.query(sql`
    insert into death_reports (death_report_id, partner_id, quote_id, customer_id, details_encrypted, reported_at, due_on,
                               is_held)
    values (${id}, ${partnerId}, ${report.quoteId}, ${customerId}, ${details}, ${report.now}, ${report.dueOn},
            ${report.isHeld})`)
}

/** Settles the open reports about a customer. The caller holds the quote's row lock. */
export async function decideDeathReports(
  tx: Tx,
  { partnerId, customerId }: About,
  { outcome, now }: { outcome: DeathOutcome; now: Date },
): Promise<void> {
  await tx.query(sql`
    update death_reports set outcome = ${outcome}, decided_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId} and outcome is null`)
}

/** Deletes what was reported about a customer. */
export async function deleteDeathReports(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`delete from death_reports where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/** Records that somebody entered a code from the customer's e-mails, if a report about them is open. */
export async function recordSignIn(tx: Tx, { partnerId, customerId }: About, now: Date): Promise<void> {
  await tx.query(sql`
    update death_reports set signed_in_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId} and outcome is null`)
}

/** Whether a report about the customer holds their e-mails and payments and is not decided. */
export async function isHeldForDeath(db: Queryable, { partnerId, customerId }: About): Promise<boolean> {
  const rows = await db.query(sql`
    select from death_reports
     where partner_id = ${partnerId} and customer_id = ${customerId} and is_held and outcome is null limit 1`)
  return rows.length > 0
}

/**
 * Whether the e-mail `m` is held: a report about its recipient is open, and they did not just ask for it, or their
 * death is confirmed.
 */
export function isHeldMail(askedFor: readonly string[]): Sql {
  return sql`exists (select from death_reports d
                      where d.partner_id = m.partner_id and d.customer_id = m.customer_id
                        and (d.outcome = 'confirmed'
                             or d.outcome is null and d.is_held and m.kind <> all(${[...askedFor]}::text[])))`
}
