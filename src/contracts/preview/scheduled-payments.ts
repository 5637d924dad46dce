import { listPaymentEntries } from '../../payments/ledger/payment-entries.store.ts'
import type { EntryStatus, PaymentEntry, RefundKind } from '../../payments/ledger/payment-entry.ts'
import type { PlannedPayment } from '../../payments/plan/plan-payments.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { noPence, type Pence, pence, sumPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { QuotePrice } from '../../quoting/pricing/price.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { planToAgree } from './prepare-agreement.ts'
import { findLastPreview } from './previewed-terms.store.ts'

/** A customer's payments, and what they are paid back. */
export interface Schedule {
  payments: ScheduledPayment[]
  /** What is still to be paid back, in pence, and by which day; null if nothing is. */
  refund: { amount: Pence; date: IsoDate } | null
  /** All refunds, also those that were paid. */
  refunds: ScheduledRefund[]
}

/** What is paid back, in pence. `date` is the day by which it must be. */
interface ScheduledRefund {
  kind: RefundKind
  date: IsoDate
  amount: Pence
  /** How much of it was paid back. */
  paidAmount: Pence
  status: 'planned' | 'paid'
  description: string
}

/** A payment of a schedule, and whether it was collected. `entryId` is null until the plan is stored at acceptance. */
export interface ScheduledPayment extends PlannedPayment {
  entryId: PaymentEntry['entryId'] | null
  status: EntryStatus
}

/**
 * The customer's schedule: the plan of their contract as stored at acceptance and settled since, which is empty if
 * nothing was or is owed. Before acceptance, the plan that they would agree to today.
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
): Promise<Schedule> {
  const { quote, price, customer, now, bankHolidays, cipher } = about
  const calendar = { today: londonDate(now), bankHolidays }
  if (customer.termsAcceptedAt === null) {
    const shown = await findLastPreview(db, cipher, customer)
    return asPlanned(planToAgree(quote, price, customer, { ...calendar, shown: shown?.content }))
  }
  const entries = (await listPaymentEntries(db, customer)).filter(
    ({ contractNumber }) => contractNumber === customer.contractNumber,
  )
  const payments = scheduleOf(entries).filter(({ amount }) => amount > 0)
  return { payments, refund: refundOf(entries), refunds: entries.flatMap(asRefund) }
}

function asPlanned(plan: readonly PlannedPayment[]): Schedule {
  const payments = plan.map((payment) => ({ ...payment, entryId: null, status: 'planned' as const }))
  return { payments, refund: null, refunds: [] }
}

function refundOf(entries: readonly PaymentEntry[]): Schedule['refund'] {
  const open = entries.filter(({ kind, status }) => kind === 'refund' && status !== 'paid')
  const [first] = open
  if (first === undefined) return null
  return { amount: sumPence(open.map((each) => pence(each.amount - (each.collectedAmount ?? 0)))), date: first.date }
}

function asRefund({ refundKind, date, amount, collectedAmount, status, description }: PaymentEntry): ScheduledRefund[] {
  if (refundKind === null) return []
  const about = { kind: refundKind, date, amount, description }
  return [{ ...about, paidAmount: collectedAmount ?? noPence, status: status === 'paid' ? 'paid' : 'planned' }]
}

function scheduleOf(entries: readonly PaymentEntry[]): ScheduledPayment[] {
  const plan = entries.filter(({ kind }) => kind !== 'refund')
  return plan.map(({ entryId, date, amount, periodStart, periodEnd, description, status, kind, positionInPlan }) => ({
    date,
    amount,
    kind: kind === 'fee' || kind === 'exit_fee' ? 'fee' : positionInPlan === 'between' ? 'monthly' : positionInPlan,
    periodStart: periodStart ?? date,
    periodEnd: periodEnd ?? date,
    description,
    entryId,
    status,
  }))
}
