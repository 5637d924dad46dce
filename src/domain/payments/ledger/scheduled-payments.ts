import type { Queryable } from '../../../db/database.ts'
import { londonDate } from '../../../kernel/dates.ts'
import type { BankHolidays } from '../../../kernel/working-days.ts'
import type { Customer } from '../../customers/customer.ts'
import type { QuotePrice } from '../../pricing/price.ts'
import type { Quote } from '../../quotes/quote.ts'
import type { PlannedPayment } from '../plan/payment-plan.ts'
import { planForCustomer } from '../plan/plan-for-customer.ts'
import { listPaymentEntries } from './payment-entries.store.ts'
import type { EntryStatus, PaymentEntry } from './payment-entry.ts'

/** A payment of a schedule, and whether it was collected. `entryId` is null until the plan is stored at acceptance. */
export interface ScheduledPayment extends PlannedPayment {
  entryId: PaymentEntry['entryId'] | null
  status: EntryStatus
}

/**
 * The customer's schedule: the stored plan, if there is one. Otherwise, as before acceptance and for acceptances from before plans were
 * stored, it is calculated.
 */
export async function loadScheduledPayments(
  db: Queryable,
  about: { quote: Quote; price: QuotePrice; customer: Customer; now: Date; bankHolidays: BankHolidays },
): Promise<ScheduledPayment[]> {
  const { quote, price, customer, now, bankHolidays } = about
  const stored = scheduleOf(await listPaymentEntries(db, customer))
  if (stored.length > 0) return stored
  return planForCustomer(quote, price, customer, { today: londonDate(now), bankHolidays }).map((payment) => ({
    ...payment,
    entryId: null,
    status: 'planned',
  }))
}

function scheduleOf(entries: readonly PaymentEntry[]): ScheduledPayment[] {
  const plan = entries.filter(({ kind }) => kind === 'plan')
  return plan.map(({ entryId, date, amount, periodStart, periodEnd, description, status }, index) => ({
    date,
    amount,
    kind: index === 0 ? 'first' : index === plan.length - 1 ? 'last' : 'monthly',
    periodStart: periodStart ?? date,
    periodEnd: periodEnd ?? date,
    description,
    entryId,
    status,
  }))
}
