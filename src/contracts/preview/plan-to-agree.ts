import canonicalize from 'canonicalize'
import type { PlannedPayment } from '../../payments/plan/payment-plan.ts'
import { planForCustomer } from '../../payments/plan/plan-for-customer.ts'
import { addDays, type IsoDate } from '../../platform/kernel/dates.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { type PreviewedTerms, previewedTermsOf } from './agreement.ts'

/** A plan that a tenant was shown stands while its first payment is at least this many days ahead. */
const daysAheadOfShownPlan = 5

/**
 * The payment plan that the tenant would agree to today. It is the plan that they were shown last, as long as the price
 * and the dates are the same and its first payment is at least 5 days ahead. Otherwise it is planned anew from today.
 */
export function planToAgree(
  quote: Quote,
  price: QuotePrice,
  customer: Pick<Customer, 'customerId' | 'termsAcceptedAt'>,
  given: { today: IsoDate; bankHolidays: BankHolidays; shown: PreviewedTerms | undefined },
): readonly PlannedPayment[] {
  const { today, bankHolidays, shown } = given
  const [first] = shown?.plan ?? []
  if (shown !== undefined && first !== undefined && first.date >= addDays(today, daysAheadOfShownPlan)) {
    const withShownPlan = previewedTermsOf(price, customer.customerId, shown.plan)
    const { contractStartDate, contractEndDate, own } = shown
    const { plan } = withShownPlan
    if (canonicalize(withShownPlan) === canonicalize({ contractStartDate, contractEndDate, own, plan })) return plan
  }
  return planForCustomer(quote, price, customer, { today, bankHolidays })
}
