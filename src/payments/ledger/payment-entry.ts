import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'

/**
 * What a customer sees of an entry. `failed`: the last attempt to collect it failed, so it is still due. Entries that
 * are no longer due are not listed.
 */
export const entryStatuses = ['planned', 'failed', 'paid', 'refunded', 'disputed'] as const
export type EntryStatus = (typeof entryStatuses)[number]

/**
 * What a refund is. `price_reduction`: lowers what is owed. `compensation`: lowers nothing that is owed.
 * `payment_back`: the payment is given back and stays owed or, if the operator did not order it, was more than is owed.
 */
export const refundKinds = ['price_reduction', 'compensation', 'payment_back'] as const
export type RefundKind = (typeof refundKinds)[number]

/**
 * What an entry is. `fee`: for a failed payment, owed besides the price. `final` and `exit_fee`: after an early end, the
 * rest of what was supplied and the fee for leaving, apart so that the fee can be waived.
 */
export const paymentEntryKinds = ['plan', 'fee', 'refund', 'final', 'exit_fee'] as const
type PaymentEntryKind = (typeof paymentEntryKinds)[number]

/** Something a customer owes or, for a refund, is owed. */
export interface PaymentEntry {
  entryId: Id<'entry'>
  contractNumber: string
  kind: PaymentEntryKind
  /** What a refund is; null for a payment. */
  refundKind: RefundKind | null
  date: IsoDate
  amount: Pence
  /** The days that it pays for; null if it pays for no period. */
  periodStart: IsoDate | null
  periodEnd: IsoDate | null
  /** For the tenant to read. Never contains personal data. */
  description: string
  status: EntryStatus
  /** Of a payment that failed, the day from which it is tried again, as the terms promise; null if it is not. */
  retryOn: IsoDate | null
  /**
   * Where it is among everything that was ever to be paid for the contract, with what was given up and without fees: the
   * first does not change.
   */
  positionInPlan: 'first' | 'between' | 'last'
  /** When it was collected, on the processor's clock. */
  collectedAt: Date | null
  collectedAmount: Pence | null
  refundedAmount: Pence
}

/** Whether the entry is still to be collected. */
export function isUncollected({ status }: { status: EntryStatus }): boolean {
  return status === 'planned' || status === 'failed'
}
