import type { Database } from '../../../db/database.ts'
import { type IsoDate, londonDate } from '../../../kernel/dates.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { BankHolidays } from '../../../kernel/working-days.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadQuoteOfCustomer } from '../../contracts/load-quote.ts'
import { shownTermsOf } from '../../contracts/shown/agreement.ts'
import { recordShown } from '../../contracts/shown/shown-terms.store.ts'
import { loadCustomer, requireNotRemoved } from '../../customers/load-customer.ts'
import { type OnboardingWarning, warningsBeforeAcceptance } from '../../customers/onboarding-warning.ts'
import type { TenantShare } from '../../pricing/price.ts'
import { shareOf } from '../../pricing/share-of.ts'
import { listOtherTenancies } from '../../quotes/overlaps/overlaps.store.ts'
import { requireOperation } from '../../quotes/quote-operations.ts'
import type { QuotePolicy } from '../../quotes/quote-policy.ts'
import { loadScheduledPayments, type Schedule, type ScheduledPayment } from '../ledger/scheduled-payments.ts'
import { requirePersonalInformation } from '../personal-information-required.ts'
import { nextPaymentDate } from './plan-payments.ts'

export interface PaymentSchedule {
  customerId: Id<'tenant'>
  share: TenantShare
  payments: readonly ScheduledPayment[]
  refund: Schedule['refund']
  nextPaymentDate: IsoDate
  warnings: OnboardingWarning[]
}

/**
 * Spec: GET /Customers/{id}/payment-schedules. What this customer pays and when. Until the terms are accepted, records what was shown,
 * unless only the headers were asked for. Throws `personal_information_required` and
 * `packages_required`.
 */
export async function getPaymentSchedules(
  deps: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays; quotePolicy: QuotePolicy },
  caller: Caller,
  { customerId, isHead }: { customerId: Id<'tenant'>; isHead: boolean },
): Promise<PaymentSchedule> {
  const { db, cipher, bankHolidays, quotePolicy } = deps
  const [customer, quote] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
  ])
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
  const [{ payments, refund }, others] = await Promise.all([
    loadScheduledPayments(db, { quote, price, customer, now, bankHolidays, cipher }),
    customer.termsAcceptedAt === null ? listOtherTenancies(db, cipher, customer, now) : [],
  ])
  if (!isHead && customer.termsAcceptedAt === null) {
    const content = shownTermsOf(price, customerId, payments)
    await recordShown(db, cipher, customer, { source: 'payment-schedule', content, now })
  }
  return {
    customerId,
    share: shareOf(price, customerId),
    payments,
    refund,
    nextPaymentDate: nextPaymentDate(payments, londonDate(now)),
    warnings: warningsBeforeAcceptance(quote, customer, others, { policy: quotePolicy, now }),
  }
}
