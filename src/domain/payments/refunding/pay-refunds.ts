import type { Origin } from '../../../db/access.ts'
import { type Database, inTransaction, type Tx } from '../../../db/database.ts'
import type { Databases } from '../../../db/databases.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { IsoDate } from '../../../kernel/dates.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { type Id, newId } from '../../../kernel/ids.ts'
import { type Pence, pence } from '../../../kernel/money.ts'
import type { Caller } from '../../auth/caller.ts'
import { lockQuote } from '../../quotes/quotes.store.ts'
import { applyCollection } from '../apply-collection.ts'
import { loadPayment } from '../operator/load-payment.ts'
import type { OperatorPayment } from '../operator/operator-payments.store.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { distributeRefund } from './distribute-refund.ts'
import {
  answerOrder,
  countRefundsDue,
  hasOpenDispute,
  insertRefundOrder,
  listOpenOrders,
  listOpenRefunds,
  listRefundablePayments,
  markPayByBank,
  type OpenRefund,
  type RefundOrder,
  sumRefundedByJob,
} from './refunding.store.ts'

/** What the operator allows. */
export interface RefundingPolicy {
  /** Refunds that were planned before this day are never paid by the job. */
  from: IsoDate
  /** The most that the job pays back in a day. */
  dailyLimit: Pence
}

/** The result of one run. Amounts are in pence. */
export interface RefundingRun {
  asked: number
  outcomes: Record<'accepted' | 'refused' | 'later', number>
  /** The refund that is above what is left of the day's limit. Nothing behind it is paid before it. */
  waiting: { entryId: string; isAboveWholeLimit: boolean } | null
  /** Refunds that cannot be paid yet, because a payment of their contract is disputed. */
  disputed: string[]
  unavailable: boolean
  failures: { entryId: string; error: unknown }[]
}

const batch = 100
const origin: Origin = { actor: 'worker', operation: 'payRefunds' }

/**
 * Pays refunds that are open, the one that must be paid first first. A refund above the limit is never passed over: one above what is left of the day waits for
 * tomorrow, and one above the whole limit for a person. Throws only if our own database fails.
 */
export async function payOpenRefunds(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { from, dailyLimit }: RefundingPolicy,
  { isStopping }: { isStopping(): boolean },
): Promise<RefundingRun> {
  const operator = deps.databases.forOperator()
  const run: RefundingRun = {
    asked: 0,
    outcomes: { accepted: 0, refused: 0, later: 0 },
    waiting: null,
    disputed: [],
    unavailable: false,
    failures: [],
  }
  const before = await sumRefundedByJob(operator, deps.clock.now())
  for (let after: OpenRefund | undefined; !isStopping(); ) {
    const refunds = await listOpenRefunds(operator, { from, after, limit: batch })
    for (const refund of refunds) {
      if (isStopping() || run.unavailable) return run
      if (before + run.asked + refund.open > dailyLimit)
        return { ...run, waiting: { entryId: refund.entryId, isAboveWholeLimit: refund.open > dailyLimit } }
      await pay(deps, refund, run)
    }
    after = refunds.at(-1)
    if (refunds.length < batch) break
  }
  return run
}

async function pay(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { partnerId, entryId, clockOffsetSeconds }: OpenRefund,
  run: RefundingRun,
): Promise<void> {
  const db = deps.databases.forPartner(partnerId, origin)
  const askedAt = deps.clock.now()
  const now = new Date(askedAt.getTime() + clockOffsetSeconds * 1_000)
  try {
    const paid = await payRefund({ ...deps, db }, { partnerId, entryId, byJob: true, askedAt, now })
    run.asked += paid.asked
    for (const outcome of ['accepted', 'refused', 'later'] as const) run.outcomes[outcome] += paid.outcomes[outcome]
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined
    if (code === 'service_unavailable') run.unavailable = true
    else if (code === 'payment_status_not_allowed') run.disputed.push(entryId)
    else run.failures.push({ entryId, error })
  }
}

/**
 * POST /operator-api/Payments/{entryId}/refund: has the processor pay what is open of a refund. Repeating it pays nothing twice. Throws
 * `payment_status_not_allowed`, `not_found` and `service_unavailable`.
 */
export async function payRefundByOperator(
  deps: RefundingDependencies & { clock: Clock },
  caller: Caller,
  entryId: Id<'entry'>,
): Promise<OperatorPayment> {
  const { partnerId, now } = caller
  await payRefund(deps, { partnerId, entryId, byJob: false, askedAt: deps.clock.now(), now })
  return inTransaction(deps.db, caller, (tx) => loadPayment(tx, partnerId, entryId))
}

/** How many open refunds must be paid back within three days, and how many should have been. */
export function countDueRefunds({ databases }: { databases: Databases }): ReturnType<typeof countRefundsDue> {
  return countRefundsDue(databases.forOperator())
}

interface RefundingDependencies {
  db: Database
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
  outcomes: Record<'accepted' | 'refused' | 'later', number>
}

/** The processor remembers idempotency keys for at least a day. */
const keysLastMs = 20 * 3_600_000

/**
 * Asks the processor to pay what is open of a refund back to the cards that the money came from: the newest payment first, at most what each has left. Every order
 * is stored before the processor is asked, and has its own idempotency key; one without an answer is asked for again as it was. What no card takes is to be paid by
 * bank. Throws `payment_status_not_allowed` if the refund cannot be paid now, `not_found`, and `service_unavailable`.
 */
async function payRefund(deps: RefundingDependencies, refund: RefundToPay): Promise<PaidRefund> {
  const { db, cipher, paymentProcessor } = deps
  const { partnerId, now } = refund
  const { orders, owner } = await inTransaction(db, {}, (tx) => prepareOrders(tx, cipher, refund))
  const paid: PaidRefund = { asked: 0, outcomes: { accepted: 0, refused: 0, later: 0 } }
  for (const { orderId, paymentId, amount, askedAt } of orders) {
    paid.asked += amount
    const mayBeForgotten = refund.askedAt.getTime() - askedAt.getTime() > keysLastMs
    const answer = await paymentProcessor.refundPayment({ orderId, paymentId, amount: pence(amount), mayBeForgotten })
    paid.outcomes[answer.kind] += 1
    if (answer.kind === 'later') continue
    await inTransaction(db, {}, async (tx) => {
      const quote = await lockQuote(tx, cipher, partnerId, owner.quoteId)
      if (quote === undefined) throw new Error('a refund has no quote')
      if (answer.kind === 'accepted') {
        const { notice } = answer
        const refundId = notice.subjectId ?? notice.reportId
        await answerOrder(tx, partnerId, orderId, { status: 'accepted', refundId })
        await applyCollection(tx, cipher, { owner: { ...owner, partnerId }, notice, now })
        return
      }
      await answerOrder(tx, partnerId, orderId, { status: 'refused', reason: answer.reason })
      await markPayByBank(tx, partnerId, refund.entryId)
    })
  }
  return paid
}

async function prepareOrders(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, entryId, byJob, askedAt }: RefundToPay,
): Promise<{ orders: RefundOrder[]; owner: { quoteId: Id<'quote'>; customerId: Id<'tenant'> } }> {
  const owner = await loadPayment(tx, partnerId, entryId)
  await lockQuote(tx, cipher, partnerId, owner.quoteId)
  const { kind, status, amount, collectedAmount, contractNumber } = await loadPayment(tx, partnerId, entryId)
  const unanswered = await listOpenOrders(tx, partnerId, entryId)
  if (kind !== 'refund')
    throw notAllowed('This is a payment and no refund. Only a payment of kind refund is paid back.')
  if (unanswered.length > 0) return { orders: unanswered, owner }
  if (status === 'paid') return { orders: [], owner }
  if (status !== 'planned' && status !== 'failed')
    throw notAllowed(`The refund is ${status}, so it is not paid from here.`)
  if (await hasOpenDispute(tx, partnerId, contractNumber))
    throw notAllowed('A dispute of a payment of this contract is not decided. Pay the refund once it is.')
  const open = amount - (collectedAmount ?? 0)
  const parts = distributeRefund(open, await listRefundablePayments(tx, partnerId, contractNumber))
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
