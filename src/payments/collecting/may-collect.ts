import type { LatePaymentTerms } from '../../contracts/terms/fee-terms.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { addWorkingDays, type BankHolidays, type HolidayDivision } from '../../platform/kernel/working-days.ts'
import type { LedgerStatus } from '../ledger/ledger-status.ts'
import type { PaymentErrorCode } from '../payment-error.ts'

/** What decides whether a payment that is due is asked for now. */
export interface DueEntry {
  status: LedgerStatus
  /** How often Housebill has asked for it. */
  attemptNumber: number
  attemptedAt: Date | null
  /** When the card in use was set up. */
  cardSetUpAt: Date
  /** Why the customer's last payment failed; null if it did not. */
  lastError: PaymentErrorCode | null
}

/**
 * Whether to ask the processor now. A payment that failed is tried again once, as the terms that the customer agreed to
 * promise; then, or if the bank wants the customer to confirm it, only with a new card.
 */
export function mayCollect(
  { status, attemptNumber, attemptedAt, cardSetUpAt, lastError }: DueEntry,
  terms: LatePaymentTerms | undefined,
  { today, division, bankHolidays }: { today: IsoDate; division: HolidayDivision; bankHolidays: BankHolidays },
): boolean {
  if (status === 'planned') return true
  if (attemptedAt === null) return false
  if (status === 'submitted') return true
  if (status !== 'failed') return false
  if (cardSetUpAt > attemptedAt) return true
  if (lastError === 'authentication_required' || terms === undefined || attemptNumber > 1) return false
  return today >= retryDay(attemptedAt, terms, { division, bankHolidays })
}

/** The day from which an attempt that failed at this time is tried again. */
export function retryDay(
  attemptedAt: Date,
  { retryAfterWorkingDays }: LatePaymentTerms,
  { division, bankHolidays }: { division: HolidayDivision; bankHolidays: BankHolidays },
): IsoDate {
  return addWorkingDays(londonDate(attemptedAt), retryAfterWorkingDays, division, bankHolidays)
}
