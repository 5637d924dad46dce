import Fraction from 'fraction.js'
import {
  cancelEntries,
  cancelSettlement,
  findFirstToFail,
  hasWaivedFee,
  insertPaymentEntries,
  listDroppedEntries,
  listPaymentEntries,
  type NewPaymentEntry,
  restoreEntries,
  restoreWaivedFee,
} from '../../payments/ledger/payment-entries.store.ts'
import { isUncollected, type PaymentEntry } from '../../payments/ledger/payment-entry.ts'
import { findBalance, newRefund, refundDays } from '../../payments/ledger/recount.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence, roundHalfUp, sumPence } from '../../platform/kernel/money.ts'
import { periodText } from '../../platform/kernel/period-text.ts'
import { type BankHolidays, divisionOfCountry, nextWorkingDay } from '../../platform/kernel/working-days.ts'
import { nextBillingDate } from '../../quoting/pricing/billing-months.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { vatIncludedIn, vatLikeServices } from '../../quoting/pricing/vat.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Contract } from '../contract.ts'

/** A customer must be told of a payment this many days before it is taken. */
const noticeDays = 10

/** A payment that is planned, in the order of the dates. */
export type PaymentAhead = Pick<PaymentEntry, 'entryId' | 'kind' | 'date' | 'amount' | 'periodEnd' | 'retryOn'> & {
  /** Set for one that an earlier end dropped: it comes back if it stays. */
  droppedFrom?: 'planned' | 'submitted' | 'failed'
}

interface StatementInput {
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
  /** Whether the operator gave up an exit fee of this contract: no other one is asked for. */
  waivesFee: boolean
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
  /** How much of the fee is still to be collected, as a payment of its own, and how much was given up. */
  feeDue: Pence
  feeWaived: Pence
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
  const feeWaived = pence(input.waivesFee ? Math.min(fee, unpaid) : 0)
  const waived = pence(Math.min(input.waived + feeWaived, unpaid))
  const owedAgain = pence(Math.min(input.owedAgain, unpaid - waived))
  const due = pence(unpaid - waived - owedAgain)
  const feeDue = pence(input.waivesFee ? 0 : Math.min(fee, due))
  let left = due - feeDue
  const kept: PaymentAhead[] = []
  for (const payment of ahead) {
    if (!isForDaysUntil(suppliedUntil, payment) || payment.amount > left) break
    left -= payment.amount
    kept.push(payment)
  }
  const dropped = ahead.slice(kept.length)
  const figures = { supplyCost, setUpCost, fee, reduction, total, alreadyPaid, waived, owedAgain, refund, due }
  return { ...figures, kept, dropped, lastPayment: pence(left), feeDue, feeWaived }
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

/** What a tenant owes in the end, and when it is paid or paid back. Amounts are in pence and include VAT. */
export interface Settlement extends Omit<FinalStatement, 'kept' | 'dropped' | 'lastPayment' | 'feeDue' | 'feeWaived'> {
  feeVat: Pence
  /** Fees for failed payments that are still to be taken, besides the total. */
  lateFees: Pence
  /** The day by which the refund is made; null if there is none. */
  refundBy: IsoDate | null
  /** The last payment; null if the payments that stay cover what is due. */
  lastPayment: { date: IsoDate; amount: Pence } | null
  /** The payment of the exit fee, on the same day; null if nothing of a fee is due. */
  feePayment: { date: IsoDate; amount: Pence } | null
}

/**
 * What was agreed: the price that the contract stores or, for a contract from before prices were stored with it, the
 * quote's.
 */
export function agreedPrice(contract: Contract, quote: Quote): { price: QuotePrice; share: TenantShare } {
  const price = contract.price ?? quote.price
  if (price === null) throw new Error('the contract has no price')
  return { price, share: shareOf(price, contract.customerId) }
}

/**
 * What was collected for a contract, less what was paid back, and the payments that are still planned; apart from these,
 * fees for failed payments, which are owed besides the price.
 */
export type PaidFor = Pick<StatementInput, 'alreadyPaid' | 'reduction' | 'waived' | 'waivesFee' | 'owedAgain'> & {
  ahead: PaymentAhead[]
  lateFees: Pence
}

/**
 * What was paid for a contract. A payment that the tenant's bank took back counts until the dispute is lost. If its end
 * was set before, the payments ahead are those from before that, and then its last payment and fee; with a date of which
 * the tenant can still be told.
 */
export async function paidFor(tx: Tx, contract: Contract, today: IsoDate): Promise<PaidFor> {
  const uncollected = (await listPaymentEntries(tx, contract)).filter(
    (entry) => entry.contractNumber === contract.contractNumber && entry.kind !== 'refund' && isUncollected(entry),
  )
  const restored = contract.endedOn === null ? [] : await listDroppedEntries(tx, contract)
  const earliest = addDays(today, noticeDays)
  const dropped = restored.map((entry) => ({
    ...entry,
    date: entry.droppedFrom === 'planned' ? laterOf(entry.date, earliest) : entry.date,
    retryOn: entry.retryOn === null ? null : laterOf(entry.retryOn, earliest),
  }))
  const { held, reduction, waived, waivedExitFee, owedAgain } = await findBalance(tx, contract)
  return {
    alreadyPaid: pence(Math.max(0, held)),
    ...{ reduction: pence(reduction), waived: pence(waived - waivedExitFee), owedAgain: pence(owedAgain) },
    waivesFee: await hasWaivedFee(tx, contract),
    ahead: [
      ...[...uncollected.filter(({ kind }) => kind === 'plan'), ...dropped].sort(inOrder),
      ...uncollected.filter(({ kind }) => kind === 'final' || kind === 'exit_fee'),
    ],
    lateFees: sumPence(uncollected.map(({ kind, amount }) => (kind === 'fee' ? amount : noPence))),
  }
}

function inOrder(one: PaymentAhead, other: PaymentAhead): number {
  return one.date.localeCompare(other.date) || one.entryId.localeCompare(other.entryId)
}

/** What a settlement is worked out from, besides what is owed. */
interface SettlingOf {
  quote: Quote
  contract: Contract
  now: Date
  informedOn: IsoDate
  /** The VAT rate of the exit fee; that of the services if absent. */
  feeVatRate?: string | undefined
  bankHolidays: BankHolidays
}

/** Works out the settlement of a contract. Changes nothing. */
export function settlementOf(
  input: StatementInput & Pick<PaidFor, 'lateFees'>,
  { quote, contract, now, informedOn, feeVatRate, bankHolidays }: SettlingOf,
): { statement: FinalStatement; settlement: Settlement } {
  const { price, share } = agreedPrice(contract, quote)
  const statement = finalStatement(input)
  const { kept: _, dropped: __, feeWaived: ___, lastPayment, feeDue, ...figures } = statement
  const division = divisionOfCountry(quote.address.country)
  const day = lastPaymentDay(statement, { today: londonDate(now), billingDay: price.billingDay })
  const paymentOf = (amount: Pence) =>
    amount > 0 ? { date: nextWorkingDay(day, division, bankHolidays), amount } : null
  const feePayment = paymentOf(feeDue)
  const fee = new Fraction(figures.fee)
  const feeVat =
    feeVatRate === undefined
      ? vatLikeServices(fee, price, share, feePayment?.date ?? londonDate(now))
      : vatIncludedIn(fee, feeVatRate)
  const refundBy = figures.refund > 0 ? addDays(informedOn, refundDays) : null
  const payments = { lastPayment: paymentOf(lastPayment), feePayment }
  const { lateFees } = input
  return { statement, settlement: { ...figures, feeVat: roundHalfUp(feeVat), lateFees, refundBy, ...payments } }
}

/**
 * Stores the settlement in the ledger: payments that are no longer due are cancelled, and the last payment and the exit
 * fee, or the refund, are added. It takes the place of an earlier settlement, of a contract whose end was set before.
 */
export async function storeSettlement(
  tx: Tx,
  contract: Contract,
  { statement, settlement }: { statement: FinalStatement; settlement: Settlement },
  { suppliedUntil, now }: { suppliedUntil: IsoDate | null; now: Date },
): Promise<void> {
  const { contractNumber, startsOn } = contract
  await cancelSettlement(tx, contract.partnerId, contractNumber)
  const { unordered } = await findBalance(tx, contract)
  const dropped = statement.dropped.map(({ entryId }) => entryId)
  const continues = await findFirstToFail(tx, contract.partnerId, dropped)
  await cancelEntries(tx, contract.partnerId, dropped)
  await restoreEntries(
    tx,
    contract.partnerId,
    statement.kept.filter(({ droppedFrom }) => droppedFrom !== undefined),
  )
  if (statement.feeWaived > 0) await restoreWaivedFee(tx, contract, statement.feeWaived)
  const { lastPayment, feePayment, refund, refundBy } = settlement
  const entries: NewPaymentEntry[] = []
  if (lastPayment !== null) {
    const periodEnd = suppliedUntil ?? startsOn
    const description = `Final payment for ${periodText(startsOn, periodEnd)}`
    const period = { periodStart: startsOn, periodEnd }
    entries.push({ contractNumber, kind: 'final', ...lastPayment, ...period, description, continues })
  }
  if (feePayment !== null) {
    const noPeriod = { periodStart: null, periodEnd: null }
    entries.push({ contractNumber, kind: 'exit_fee', ...feePayment, ...noPeriod, description: 'Exit fee' })
  }
  if (refund > 0 && refundBy !== null) {
    const planned = { contractNumber, date: refundBy, amount: refund, paidBackBefore: unordered }
    entries.push(newRefund({ ...planned, refundKind: 'payment_back' }))
  }
  if (entries.length > 0) await insertPaymentEntries(tx, contract, entries, now)
}
