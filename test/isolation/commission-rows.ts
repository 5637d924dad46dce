import { rawRows } from '../support/customer-fixtures.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** Adds a row to each table about commission, for the contract of this quote. */
export async function addCommissionRows(service: ServiceUnderTest, quoteId: string): Promise<void> {
  await rawRows(
    service,
    `with terms as (
       insert into commission_terms (partner_id, first_day, tiers, recorded_at)
       select partner_id, '2026-01-01', '[{"upTo": null, "basisPoints": 250, "amount": null}]', now() from quotes
         where quote_id = $1
       returning partner_id, term_number),
     closing as (
       insert into commission_closings (partner_id, month, closed_at) select partner_id, '2026-01-01', now() from terms),
     line as (
     insert into commission_entries (line_id, partner_id, contract_number, kind, quote_id, counts_on, month, amount_pence,
       term_number, number_in_month,
                                     value_net_pence, basis_points, term_days, household_days, unsupplied_days,
                                       recorded_at)
     select 'line_' || contract_number, partner_id, contract_number, 'earned', quote_id, '2026-02-01', '2026-02-01', 250, term_number, 1, 10000,
       250, 365, 365, 0, now()
       from contracts join terms using (partner_id) where quote_id = $1
       returning line_id, partner_id)
     insert into commission_queries (query_id, partner_id, line_id, text_encrypted, asked_at)
     select 'query_' || partner_id, partner_id, line_id, '', now() from line limit 1`,
    [quoteId],
  )
}
