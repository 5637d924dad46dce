import { loadCustomerWithQuote } from '../contracts/load-quote-of-customer.ts'
import { previewedTermsOf } from '../contracts/preview/agreement.ts'
import { recordPreview } from '../contracts/preview/previewed-terms.store.ts'
import { loadScheduledPayments, type Schedule, type ScheduledPayment } from '../contracts/preview/scheduled-payments.ts'
import type { Caller } from '../partners/caller.ts'
import { nextPaymentDate } from '../payments/plan/plan-payments.ts'
import type { Database } from '../platform/db/database.ts'
import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { TenantShare } from '../quoting/pricing/price.ts'
import { shareOf } from '../quoting/pricing/split-lines.ts'
import { listOtherTenancies } from '../quoting/quotes/overlaps/overlaps.store.ts'
import { requireOperation } from '../quoting/quotes/quote-operations.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import { requireNotRemoved, requirePersonalInformation } from '../quoting/tenants/load-customer.ts'
import { type OnboardingWarning, warningsBeforeAcceptance } from './onboarding-warnings.schema.ts'

export interface PaymentSchedule {
  customerId: Id<'tenant'>
  share: TenantShare
  payments: readonly ScheduledPayment[]
  refund: Schedule['refund']
  refunds: Schedule['refunds']
  nextPaymentDate: IsoDate
  warnings: OnboardingWarning[]
}

/**
 * Spec: GET /Customers/{id}/payment-schedules. What this customer pays and when. Until the terms are accepted, records
 * what was shown. Throws `personal_information_required` and `packages_required`.
 */
export async function getPaymentSchedules(
  deps: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays; quotePolicy: QuotePolicy },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<PaymentSchedule> {
  const { db, cipher, bankHolidays, quotePolicy } = deps
  const { customer, quote } = await loadCustomerWithQuote(db, cipher, caller, customerId)
  requireNotRemoved(customer)
  requireOperation(quote, 'payment-schedules', caller.now)
  requirePersonalInformation(customer)
  if (quote.price === null)
    throw new DomainError(
      'packages_required',
      'The quote has no packages. First select some with POST /Quotes/{id}/add-packages.',
    )
  const { price } = quote
  const { now } = caller
  const [{ payments, refund, refunds }, others] = await Promise.all([
    loadScheduledPayments(db, { quote, price, customer, now, bankHolidays, cipher }),
    customer.termsAcceptedAt === null ? listOtherTenancies(db, cipher, customer, now) : [],
  ])
  if (customer.termsAcceptedAt === null) {
    const content = previewedTermsOf(price, customerId, payments)
    await recordPreview(db, cipher, customer, { source: 'payment-schedule', content, now })
  }
  return {
    customerId,
    share: shareOf(price, customerId),
    // A share that costs nothing has a plan with one payment of 0.
    payments: payments.filter(({ amount }) => amount > 0),
    refund,
    refunds,
    nextPaymentDate: payments.length === 0 ? londonDate(now) : nextPaymentDate(payments, londonDate(now)),
    warnings: warningsBeforeAcceptance(quote, customer, others, { policy: quotePolicy, now }),
  }
}
