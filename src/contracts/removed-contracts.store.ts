import type { Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { RecordedChange } from './operator-feeds/record-contract-change.ts'

/** Deletes what was shown to the customers before they agreed. */
export async function deletePreviews(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<void> {
  await tx.query(
    sql`delete from previewed_terms where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])`,
  )
}

/** Deletes the customers' e-mails, sent or not. */
export async function deleteTenantMails(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<void> {
  await tx.query(
    sql`delete from tenant_mails where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])`,
  )
}

/** Deletes the content of a customer's contracts. */
export async function deleteContractContent(
  tx: Tx,
  _recorded: RecordedChange,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<void> {
  await tx.query(sql`
    delete from contract_documents where partner_id = ${partnerId} and contract_number in (
      select contract_number from contracts where partner_id = ${partnerId} and customer_id = ${customerId})`)
  await tx.query(sql`
    update contracts set acceptance = null, evidence_encrypted = null, price = null, agreement_encrypted = null,
           ending_encrypted = null, final_statement = null
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
  await tx.query(sql`
    delete from tenancy_end_questions where partner_id = ${partnerId} and contract_number in (
      select contract_number from contracts where partner_id = ${partnerId} and customer_id = ${customerId})`)
  await tx.query(sql`
    delete from tenancy_end_reports where partner_id = ${partnerId} and reported_by = ${customerId}`)
  // Readings belong to the home, so they stay while the records of anybody in the household do.
  await tx.query(sql`
    delete from meter_readings r
     where r.partner_id = ${partnerId} and r.quote_id in (
             select quote_id from contracts where partner_id = ${partnerId} and customer_id = ${customerId})
       and not exists (select from contracts k
                        where k.partner_id = ${partnerId} and k.quote_id = r.quote_id and k.acceptance is not null)`)
}
