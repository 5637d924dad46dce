import { type LedgerStatus, ledgerStatuses } from '../../payments/ledger/ledger-status.ts'
import {
  decryptPayment,
  type OperatorPayment,
  operatorPaymentColumns,
  type PaymentRow,
} from '../../payments/ledger/operator-payments.store.ts'
import type { PaymentEntry } from '../../payments/ledger/payment-entry.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'

/** Which payments are listed. `dueBefore` does not include that day. */
export interface PaymentFilter {
  dueBefore?: IsoDate | undefined
  statuses?: readonly LedgerStatus[] | undefined
  customerId?: string | undefined
  kind?: PaymentEntry['kind'] | undefined
  /** Only payments of which something is owed again and waits to be put back on the plan. */
  isOwedAgain?: boolean | undefined
  after?: PaymentPosition | undefined
  limit: number
}

/** A position in the list of payments, which is in the order of the due dates. */
interface PaymentPosition {
  date: string
  entryId: string
}

/**
 * Payments of all partners, by due date. Leaves out what is planned of contracts that are not in force yet or never
 * were, because nobody owes it. Merges one scan per status, each of at most one page.
 */
export async function listOperatorPayments(
  system: Queryable,
  cipher: FieldCipher,
  filter: PaymentFilter,
): Promise<OperatorPayment[]> {
  const { dueBefore, statuses = ledgerStatuses, customerId, kind, isOwedAgain, after, limit } = filter
  const rows = await system.query<PaymentRow>(sql`
    select ${operatorPaymentColumns}
      from unnest(${[...statuses]}::text[]) wanted (status)
      cross join lateral (
        select e.* from payment_entries e
          left join contracts k on k.partner_id = e.partner_id and k.contract_number = e.contract_number
         where e.status = wanted.status
           and (k.effective_at is not null or e.kind = 'refund' or e.status not in ('planned', 'cancelled'))
           ${customerId === undefined ? sql`and e.due_on > '-infinity'` : sql`and e.customer_id = ${customerId}`}
           ${dueBefore === undefined ? empty : sql`and e.due_on < ${dueBefore}::date`}
           ${kind === undefined ? empty : sql`and e.kind = ${kind}`}
           ${isOwedAgain === true ? sql`and e.owed_again_pence > 0` : empty}
           ${after === undefined ? empty : sql`and (e.due_on, e.entry_id) > (${after.date}::date, ${after.entryId})`}
         order by e.due_on, e.entry_id limit ${limit}) e
      join partners p on p.partner_id = e.partner_id
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
     order by e.due_on, e.entry_id limit ${limit}`)
  return rows.map((row) => decryptPayment(cipher, row))
}
