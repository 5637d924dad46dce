import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type BankHolidays, divisionOfCountry } from '../../platform/kernel/working-days.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { PlannedPayment } from './payment-plan.ts'
import { planPayments } from './plan-payments.ts'

/**
 * One tenant's payments for the agreed price. They are planned from today or, once the terms are accepted, from the day
 * of acceptance, so that the plan is then final (docs/api-behaviour.md#payment-schedule).
 */
export function planForCustomer(
  quote: Pick<Quote, 'address'>,
  price: QuotePrice,
  tenant: { customerId: Id<'tenant'>; termsAcceptedAt: Date | null },
  calendar: { today: IsoDate; bankHolidays: BankHolidays },
): PlannedPayment[] {
  return planPayments({
    share: shareOf(price, tenant.customerId),
    lines: price.lines,
    contractStartDate: price.contractStartDate,
    contractEndDate: price.contractEndDate,
    billingDay: price.billingDay,
    today: tenant.termsAcceptedAt === null ? calendar.today : londonDate(tenant.termsAcceptedAt),
    division: divisionOfCountry(quote.address.country),
    holidays: calendar.bankHolidays,
  })
}
