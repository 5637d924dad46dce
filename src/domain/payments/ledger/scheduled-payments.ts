import type { Queryable } from '../../../db/database.ts'
import { londonDate } from '../../../kernel/dates.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { BankHolidays } from '../../../kernel/working-days.ts'
import { planToAgree } from '../../contracts/shown/plan-to-agree.ts'
import { findLastShown } from '../../contracts/shown/shown-terms.store.ts'
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
 * The customer's schedule: the plan of their contract as stored at acceptance. Before acceptance, the plan that they would agree to today;
 * for an acceptance from before plans were stored, it is calculated.
 */
export async function loadScheduledPayments(
  db: Queryable,
  about: {
    quote: Quote
    price: QuotePrice
    customer: Customer
    now: Date
    bankHolidays: BankHolidays
    cipher: FieldCipher
  },
): Promise<ScheduledPayment[]> {
  const { quote, price, customer, now, bankHolidays, cipher } = about
  const calendar = { today: londonDate(now), bankHolidays }
  if (customer.termsAcceptedAt === null) {
    const shown = await findLastShown(db, cipher, customer)
    return asPlanned(planToAgree(quote, price, customer, { ...calendar, shown: shown?.content }))
  }
  const entries = await listPaymentEntries(db, customer)
  const stored = scheduleOf(entries.filter(({ contractNumber }) => contractNumber === customer.contractNumber))
  return stored.length > 0 ? stored : asPlanned(planForCustomer(quote, price, customer, calendar))
}

function asPlanned(plan: readonly PlannedPayment[]): ScheduledPayment[] {
  return plan.map((payment) => ({ ...payment, entryId: null, status: 'planned' }))
}

function scheduleOf(entries: readonly PaymentEntry[]): ScheduledPayment[] {
  const plan = entries.filter(({ kind }) => kind !== 'refund')
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
