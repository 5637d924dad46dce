import Fraction from 'fraction.js'
import { costUntil } from '../../payments/plan/cost-until.ts'
import { daysInPeriod, type IsoDate } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'

/** A payment that is planned, in the order of the dates. */
export interface PaymentAhead {
  entryId: string
  date: IsoDate
  amount: Pence
}

export interface StatementInput {
  price: Pick<QuotePrice, 'lines' | 'contractStartDate' | 'contractEndDate' | 'billingDay'>
  share: TenantShare
  /** The last day for which the tenant owes supply; null if they owe none. */
  suppliedUntil: IsoDate | null
  /**
   * How much of the agreed set-up the tenant owes. `in proportion`: as much of it as of the term was supplied (CCR
   * 2013, reg. 36(5)).
   */
  setUp: 'whole' | 'in proportion' | 'none'
  /** The exit fee, including VAT. */
  fee: Pence
  /** What was collected from the tenant for this contract, less what was refunded. */
  alreadyPaid: Pence
  /** What the operator gave up: it is not asked for again, and not paid back. */
  waived: Pence
  /** The payments still planned for this contract. */
  ahead: readonly PaymentAhead[]
}

/** What a tenant owes in the end. All amounts are in pence and include VAT. */
export interface FinalStatement {
  supplyCost: Pence
  setUpCost: Pence
  fee: Pence
  /** The sum of the three. */
  total: Pence
  alreadyPaid: Pence
  /** What is paid back; 0 if anything is due. */
  refund: Pence
  /** What is still to be collected, by the payments that stay and the last payment together. */
  due: Pence
  /** The planned payments that stay as they are. */
  kept: readonly PaymentAhead[]
  /** The planned payments that are no longer due. */
  dropped: readonly PaymentAhead[]
  /** The last payment, which collects what the payments that stay leave; 0 if nothing is left. */
  lastPayment: Pence
}

/**
 * Works out what a tenant owes when their contract is cancelled or ends early, and which of their planned payments
 * stay. Planned payments stay as long as they collect no more than is owed; one last payment collects the rest, or a
 * refund returns what is too much. So what was paid, what stays, what was waived and the last payment add up to the
 * total, to the penny.
 */
export function finalStatement(input: StatementInput): FinalStatement {
  const { price, share, suppliedUntil, fee, alreadyPaid, waived, ahead } = input
  const supplyCost = suppliedUntil === null ? noPence : costUntil(price, share, suppliedUntil)
  const setUpCost = setUpOwed(input)
  const total = pence(supplyCost + setUpCost + fee)
  const refund = pence(Math.max(0, alreadyPaid - total))
  const due = pence(Math.max(0, total - alreadyPaid - waived))
  let left: number = due
  const kept: PaymentAhead[] = []
  for (const payment of ahead) {
    if (payment.amount > left) break
    left -= payment.amount
    kept.push(payment)
  }
  const dropped = ahead.slice(kept.length)
  return { supplyCost, setUpCost, fee, total, alreadyPaid, refund, due, kept, dropped, lastPayment: pence(left) }
}

function setUpOwed({ price, share, suppliedUntil, setUp }: StatementInput): Pence {
  if (setUp === 'none') return noPence
  if (setUp === 'whole') return share.setupCost
  if (suppliedUntil === null) return noPence
  const days = daysInPeriod(price.contractStartDate, suppliedUntil)
  const ofTerm = new Fraction(days, daysInPeriod(price.contractStartDate, price.contractEndDate))
  return pence(Math.min(share.setupCost, roundHalfUp(ofTerm.mul(share.setupCost))))
}
