import Fraction from 'fraction.js'
import { findContract } from '../../contracts/contracts.store.ts'
import { agreedPrice } from '../../contracts/termination/settle-contract.ts'
import type { Caller } from '../../partners/caller.ts'
import { reportPaymentChange } from '../../payments/change-payment-status.ts'
import {
  findOrderedRefund,
  findRefundable,
  type OperatorPayment,
  setOffAgainst,
} from '../../payments/ledger/operator-payments.store.ts'
import { insertPaymentEntries } from '../../payments/ledger/payment-entries.store.ts'
import type { RefundKind } from '../../payments/ledger/payment-entry.ts'
import { findBalance, newRefund, recount, refundDays } from '../../payments/ledger/recount.ts'
import { loadPayment, lockQuoteOfPayment } from '../../payments/load-payment.ts'
import { payRefund, type RefundingDependencies } from '../../payments/refunding/pay-refund.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import { vatLikeServices } from '../../quoting/pricing/vat.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'

/** A refund that the operator orders. `amount` is in pence; everything that is left of the payment if it is missing. */
interface RefundToOrder {
  kind: RefundKind
  amount: number | undefined
  reason: string
  /** Takes a compensation off the next payments of the plan instead of paying it out. */
  setOff: boolean
}

const descriptions: Readonly<Record<RefundKind, string>> = {
  price_reduction: 'Reduction of the price',
  compensation: 'Compensation',
  payment_back: 'Payment paid back',
}

/**
 * POST /operator-api/Payments/{entryId}/refunds: orders that something of a payment is paid back, and returns the
 * refund, which is then paid like any other. A price reduction lowers what is owed, with its VAT; a compensation does
 * not; what is paid back stays owed, and waits until it is put back on the plan. Throws `payment_status_not_allowed` if
 * nothing is left of the payment, `validation_failed` and `not_found`.
 */
export function orderRefund(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { entryId, kind, reason, setOff, ...wanted }: RefundToOrder & { entryId: Id<'entry'> },
): Promise<OperatorPayment> {
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quote, customerId } = await lockQuoteOfPayment(tx, cipher, partnerId, entryId)
    const payment = await loadPayment(tx, cipher, partnerId, entryId)
    const { contractNumber } = payment
    const left = await findRefundable(tx, partnerId, entryId)
    if (left === 0) throw new DomainError('payment_status_not_allowed', 'Nothing is left of this payment to pay back.')
    const amount = pence(wanted.amount ?? left)
    if (amount > left) throw outOfRange('/amount', `Must be at most ${left}, which is what is left of the payment.`)
    if (setOff && kind !== 'compensation')
      throw outOfRange('/setOff', 'Only a compensation can be set off. Leave it out, or order a compensation.')
    const description = setOff ? `${descriptions[kind]}, taken off the next payments` : descriptions[kind]
    const owner = { partnerId, customerId, contractNumber }
    const { unordered } = await findBalance(tx, owner)
    const taxed = kind === 'price_reduction' && payment.kind !== 'fee'
    const day = payment.periodStart ?? payment.date
    const vat = taxed ? await vatIn(tx, quote, amount, { contractNumber, day }) : null
    const refund = {
      ...newRefund({ contractNumber, date: addDays(londonDate(now), refundDays), amount, refundKind: kind }),
      ...{ refundOf: entryId, orderReason: reason, paidBackBefore: unordered, isSetOff: setOff, description, vat },
    }
    if (setOff && (await setOffAgainst(tx, owner, amount)) < amount)
      throw outOfRange('/setOff', 'The payments that are still planned are less than that. Pay the compensation out.')
    await insertPaymentEntries(tx, owner, [refund], now)
    await recount(tx, partnerId, entryId, { now })
    await reportPaymentChange(tx, quote, customerId, now)
    const ordered = await findOrderedRefund(tx, partnerId, entryId)
    if (ordered === undefined) throw new Error('a refund was not ordered')
    return loadPayment(tx, cipher, partnerId, ordered)
  })
}

/** The VAT in a part of a contract's price, at the rates of a day, rounded once. */
async function vatIn(
  tx: Tx,
  quote: Quote,
  amount: Pence,
  of: { contractNumber: string; day: IsoDate },
): Promise<Pence> {
  const contract = await findContract(tx, quote.partnerId, of.contractNumber)
  if (contract === undefined) throw new Error('a payment has no contract')
  const { price, share } = agreedPrice(contract, quote)
  return roundHalfUp(vatLikeServices(new Fraction(amount), price, share, of.day))
}

function outOfRange(pointer: string, detail: string): DomainError {
  return invalidFields([{ pointer, code: 'out_of_range', detail }])
}

/**
 * POST /operator-api/Payments/{entryId}/refund: has the processor pay what is open of a refund. Repeating it pays
 * nothing twice. Throws
 * `payment_status_not_allowed`, `not_found` and `service_unavailable`.
 */
export async function payRefundByOperator(
  deps: Omit<RefundingDependencies, 'transact'> & { db: Database; clock: Clock },
  caller: Caller,
  entryId: Id<'entry'>,
): Promise<OperatorPayment> {
  const { partnerId, now } = caller
  const transact: RefundingDependencies['transact'] = (work) => inTransaction(deps.db, {}, work)
  await payRefund({ ...deps, transact }, { partnerId, entryId, byJob: false, askedAt: deps.clock.now(), now })
  return inTransaction(deps.db, caller, (tx) => loadPayment(tx, deps.cipher, partnerId, entryId))
}
