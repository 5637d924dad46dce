import type { Database } from '../../../db/database.ts'
import { type IsoDate, londonDate } from '../../../kernel/dates.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { BankHolidays } from '../../../kernel/working-days.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadCustomer, requireNotRemoved } from '../../customers/load-customer.ts'
import { type OnboardingWarning, warningsBeforeAcceptance } from '../../customers/onboarding-warning.ts'
import type { TenantShare } from '../../pricing/price.ts'
import { shareOf } from '../../pricing/share-of.ts'
import { loadQuoteOfCustomer } from '../../quotes/load-quote.ts'
import { requireOperation } from '../../quotes/quote-operations.ts'
import type { QuotePolicy } from '../../quotes/quote-policy.ts'
import { requirePersonalInformation } from '../personal-information-required.ts'
import type { PlannedPayment } from './payment-plan.ts'
import { planForCustomer } from './plan-for-customer.ts'
import { nextPaymentDate } from './plan-payments.ts'

export interface PaymentSchedule {
  customerId: Id<'tenant'>
  share: TenantShare
  payments: PlannedPayment[]
  nextPaymentDate: IsoDate
  warnings: OnboardingWarning[]
}

/**
 * Spec: GET /Customers/{id}/payment-schedules. What this customer pays and when. Throws `personal_information_required` and
 * `packages_required`.
 */
export async function getPaymentSchedules(
  deps: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays; quotePolicy: QuotePolicy },
  caller: Caller,
  customerId: Id<'tenant'>,
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
  const today = londonDate(caller.now)
  const payments = planForCustomer(quote, quote.price, customer, { today, bankHolidays })
  return {
    customerId,
    share: shareOf(quote.price, customerId),
    payments,
    nextPaymentDate: nextPaymentDate(payments, today),
    warnings: warningsBeforeAcceptance(quote, customer, quotePolicy, caller.now),
  }
}
