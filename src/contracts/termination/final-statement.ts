import type { PaymentEntry } from '../../payments/ledger/payment-entry.ts'
import { addDays, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import { nextBillingDate } from '../../quoting/pricing/billing-months.ts'

/** A customer must be told of a payment this many days before it is taken. */
const noticeDays = 10

/** A payment that is planned, in the order of the dates. */
export type PaymentAhead = Pick<PaymentEntry, 'entryId' | 'kind' | 'date' | 'amount' | 'periodEnd' | 'retryOn'>

export interface StatementInput {
  /** What the tenant owes for supply and for set-up. */
  supplyCost: Pence
  setUpCost: Pence
  /** The last day for which the tenant owes supply; null if they owe none. */
  suppliedUntil: IsoDate | null
  /** The exit fee, including VAT. */
  fee: Pence
  /** What was collected from the tenant for this contract, less what was paid back of it. */
  alreadyPaid: Pence
  /** By how much the price was reduced since it was agreed. */
  reduction: Pence
  /** What the operator gave up: it is not asked for again, and not paid back. */
  waived: Pence
  /** What is owed again and not back on the plan: it is asked for apart from the settlement. */
  owedAgain: Pence
  /** The payments still planned for this contract. */
  ahead: readonly PaymentAhead[]
}

/** What a tenant owes in the end. All amounts are in pence and include VAT. */
export interface FinalStatement {
  supplyCost: Pence
  setUpCost: Pence
  fee: Pence
  /** How much of the three is not owed, because the price was reduced. */
  reduction: Pence
  /**
   * The sum of the three, less the reduction; also of `alreadyPaid`, `waived`, `owedAgain` and `due`, less `refund`.
   */
  total: Pence
  alreadyPaid: Pence
  waived: Pence
  owedAgain: Pence
  /** What is paid back; 0 if anything is due. */
  refund: Pence
  /** What is still to be collected, by the payments that stay, the last payment and the exit fee together. */
  due: Pence
  /** The planned payments that stay as they are. */
  kept: readonly PaymentAhead[]
  /** The planned payments that are no longer due. */
  dropped: readonly PaymentAhead[]
  /** The last payment, which collects what the payments that stay leave of all but the fee; 0 if nothing is left. */
  lastPayment: Pence
  /** How much of the fee is still to be collected, as a payment of its own. */
  feeDue: Pence
}

/**
 * Works out what a tenant owes when their contract is cancelled or ends early, and which of their planned payments
 * stay. Payments of the plan stay as long as they are for days that are supplied and collect no more than is owed; one
 * last payment collects the rest but for the fee, which is a payment of its own, or a refund returns what is too much. So
 * what was paid, what stays, what was waived, what is asked for apart, the last payment and the fee add up to the total,
 * to the penny.
 */
export function finalStatement(input: StatementInput): FinalStatement {
  const { supplyCost, setUpCost, suppliedUntil, fee, alreadyPaid, ahead } = input
  const cost = supplyCost + setUpCost + fee
  const reduction = pence(Math.min(input.reduction, cost))
  const total = pence(cost - reduction)
  const refund = pence(Math.max(0, alreadyPaid - total))
  const unpaid = Math.max(0, total - alreadyPaid)
  const waived = pence(Math.min(input.waived, unpaid))
  const owedAgain = pence(Math.min(input.owedAgain, unpaid - waived))
  const due = pence(unpaid - waived - owedAgain)
  const feeDue = pence(Math.min(fee, due))
  let left = due - feeDue
  const kept: PaymentAhead[] = []
  for (const payment of ahead) {
    if (!isForDaysUntil(suppliedUntil, payment) || payment.amount > left) break
    left -= payment.amount
    kept.push(payment)
  }
  const dropped = ahead.slice(kept.length)
  const figures = { supplyCost, setUpCost, fee, reduction, total, alreadyPaid, waived, owedAgain, refund, due }
  return { ...figures, kept, dropped, lastPayment: pence(left), feeDue }
}

/** Whether a payment is of the plan, and for no day after the last. */
function isForDaysUntil(lastDay: IsoDate | null, { kind, periodEnd }: PaymentAhead): boolean {
  return kind === 'plan' && lastDay !== null && periodEnd !== null && periodEnd <= lastDay
}

/**
 * From which day the last payment can be taken: when the first payment was due that it takes the place of, or else on a
 * billing date; but not before the customer can be told of it, nor before a retry that was promised, and after the
 * payments that stay.
 */
export function lastPaymentDay(
  { kept, dropped }: Pick<FinalStatement, 'kept' | 'dropped'>,
  { today, billingDay }: { today: IsoDate; billingDay: number },
): IsoDate {
  const notBefore = [...kept, ...dropped].flatMap(({ retryOn }) => retryOn ?? [])
  const afterKept = kept.map(({ date }) => addDays(date, 1))
  const earliest = [...notBefore, ...afterKept].reduce(laterOf, addDays(today, noticeDays))
  const [first] = dropped
  return first === undefined ? nextBillingDate(earliest, billingDay) : laterOf(first.date, earliest)
}
