import type { Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { applyCollection } from '../apply-collection.ts'
import { recount } from '../ledger/recount.ts'
import { loadPayment } from '../load-payment.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { distributeRefund } from './distribute-refund.ts'
import {
  hasOpenDispute,
  insertRefundOrder,
  listOpenOrders,
  listRefundablePayments,
  markPayByBank,
  type RefundOrder,
  recordOrderOutcome,
} from './refunding.store.ts'

/** What paying a refund needs. */
export interface RefundingDependencies {
  /** Opens a transaction on the partner's rows: one before the processor is asked, and one for each of its answers. */
  transact<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
}

/** Which refund is paid, by whom and when, in real time and on the partner's clock. */
interface RefundToPay {
  partnerId: Id<'partner'>
  entryId: Id<'entry'>
  byJob: boolean
  askedAt: Date
  now: Date
}

/** What the processor was asked for, in pence; `later`: it cannot pay now, for a reason that is not the card's. */
interface PaidRefund {
  asked: number
  outcomes: Record<'accepted' | 'rejected' | 'later', number>
}

/** The processor remembers idempotency keys for at least a day. */
const keysLastMs = 20 * 3_600_000

/**
 * Asks the processor to pay what is open of a refund back to the cards that the money came from: the newest payment
 * first, at most what each has left. Every order is stored before the processor is asked, and has its own idempotency
 * key; one without a result is asked for again as it was, unless the refund has been paid or cancelled since. What no
 * card takes is to be paid by bank. Throws
 * `payment_status_not_allowed` if the refund cannot be paid now, `not_found`, and `service_unavailable`.
 */
export async function payRefund(deps: RefundingDependencies, refund: RefundToPay): Promise<PaidRefund> {
  return askForOrders(deps, refund, await storeOrders(deps, refund))
}

/** What the processor is to be asked for, stored. Amounts are in pence. */
interface StoredOrders {
  orders: RefundOrder[]
  owner: { quoteId: Id<'quote'>; customerId: Id<'tenant'> }
}

/** The first half of `payRefund`: stores the orders, or finds those without a result. */
export function storeOrders({ transact, cipher }: RefundingDependencies, refund: RefundToPay): Promise<StoredOrders> {
  return transact((tx) => prepareOrders(tx, cipher, refund))
}

/** The second half: asks the processor for each order, and records its results. */
export async function askForOrders(
  { transact, cipher, paymentProcessor }: RefundingDependencies,
  refund: RefundToPay,
  { orders, owner }: StoredOrders,
): Promise<PaidRefund> {
  const { partnerId, now } = refund
  const paid: PaidRefund = { asked: 0, outcomes: { accepted: 0, rejected: 0, later: 0 } }
  for (const { orderId, paymentId, amount, askedAt } of orders) {
    paid.asked += amount
    const mayBeForgotten = refund.askedAt.getTime() - askedAt.getTime() > keysLastMs
    const result = await paymentProcessor.refundPayment({ orderId, paymentId, amount: pence(amount), mayBeForgotten })
    paid.outcomes[result.kind] += 1
    if (result.kind === 'later') continue
    await transact(async (tx) => {
      const quote = await findQuoteForUpdate(tx, cipher, partnerId, owner.quoteId)
      if (quote === undefined) throw new Error('a refund has no quote')
      if (result.kind === 'accepted') {
        const { notice } = result
        const refundId = notice.subjectId ?? notice.reportId
        await recordOrderOutcome(tx, partnerId, orderId, { status: 'accepted', refundId })
        await applyCollection(tx, cipher, { owner: { ...owner, partnerId }, notice, now })
        // A notice may have been quicker, when the refund was not known as the one that was ordered.
        await recount(tx, partnerId, refund.entryId, { now })
        return
      }
      await recordOrderOutcome(tx, partnerId, orderId, { status: 'rejected', reason: result.reason })
      await markPayByBank(tx, partnerId, refund.entryId)
    })
  }
  return paid
}

async function prepareOrders(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, entryId, byJob, askedAt }: RefundToPay,
): Promise<StoredOrders> {
  const owner = await loadPayment(tx, cipher, partnerId, entryId)
  await findQuoteForUpdate(tx, cipher, partnerId, owner.quoteId)
  const { kind, status, amount, collectedAmount, contractNumber, refundOf } = await loadPayment(
    tx,
    cipher,
    partnerId,
    entryId,
  )
  if (kind !== 'refund')
    throw notAllowed(`This is a payment and no refund. First order one with POST /Payments/${entryId}/refunds.`)
  if (status === 'paid') return { orders: [], owner }
  if (status !== 'planned' && status !== 'failed')
    throw notAllowed(`The refund is ${status}, so it is not paid from here.`)
  if (await hasOpenDispute(tx, partnerId, contractNumber))
    throw notAllowed('A dispute of a payment of this contract is not decided. Pay the refund once it is.')
  const unanswered = await listOpenOrders(tx, partnerId, entryId)
  if (unanswered.length > 0) return { orders: unanswered, owner }
  const open = amount - (collectedAmount ?? 0)
  const parts = distributeRefund(open, await listRefundablePayments(tx, partnerId, { contractNumber, refundOf }))
  const orders = parts.map(({ left, paymentId }) => ({ orderId: newId('refund'), paymentId, amount: left, askedAt }))
  for (const [index, order] of orders.entries()) {
    const { entryId: from = '' } = parts[index] ?? {}
    const about = { customerId: owner.customerId, refundEntryId: entryId, entryId: from, byJob }
    await insertRefundOrder(tx, partnerId, { ...order, ...about })
  }
  if (orders.reduce((sum, order) => sum + order.amount, 0) < open) await markPayByBank(tx, partnerId, entryId)
  return { orders, owner }
}

function notAllowed(detail: string): DomainError {
  return new DomainError('payment_status_not_allowed', detail)
}
