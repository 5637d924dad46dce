import type { Origin } from '../../platform/db/access.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence } from '../../platform/kernel/money.ts'
import { isUnavailable } from '../../platform/kernel/upstream-failure.ts'
import { applyCollection } from '../apply-collection.ts'
import type { PaymentProcessor, PaymentResult } from '../payment-processor.ts'
import { recordMissingCard } from '../processor-customers.store.ts'
import { type Attempt, type AttemptDependencies, addLateFee, type DailyLimit, prepareAttempt } from './attempts.ts'
import { type DuePayment, endAttempt, listDuePayments, sumAskedToday, undoAttempt } from './collecting.store.ts'

export interface CollectingDependencies extends AttemptDependencies {
  databases: Databases
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** What the operator allows. */
export interface CollectingPolicy {
  /** `dry run`: only says what would be asked for. */
  mode: 'dry run' | 'on'
  /** Payments that were due before this day are never asked for. */
  from: IsoDate
  /**
   * The most that is asked for in a day in London: what the processor was asked for since midnight, whatever came of
   * it.
   */
  dailyLimit: Pence
}

/** The result of one run. Amounts are in pence. */
export interface CollectingRun {
  /** What was asked for or, in a dry run, what would be. */
  asked: { count: number; amount: Pence }
  outcomes: Record<'paid' | 'failed' | 'pending' | 'rejected' | 'card missing', number>
  /** Payments that the processor refused to try, with its reason. */
  rejected: { entryId: string; reason: string }[]
  /** True if the day's limit is reached. What is left is asked for tomorrow. */
  limitReached: boolean
  /** Payments that are above the limit of a whole day. They are passed over until somebody raises it. */
  aboveLimit: string[]
  /** True if the processor became unavailable. The next run continues. */
  unavailable: boolean
  failures: { entryId: string; error: unknown }[]
}

const batch = 100
const origin: Origin = { actor: 'worker', operation: 'collectPayments' }

/**
 * Asks the processor for every payment that is due, off-session. An attempt is stored before the processor is asked and
 * has its own idempotency key, so that a process that is killed at any moment takes nothing twice. A payment that
 * cannot be recorded does not stop the others. Throws only if our own database fails.
 */
export async function collectDuePayments(
  deps: CollectingDependencies,
  { mode, from, dailyLimit }: CollectingPolicy,
  { isStopping }: { isStopping(): boolean },
): Promise<CollectingRun> {
  const operator = deps.databases.system
  const run = newRun()
  const day = { limit: dailyLimit, asked: pence(await sumAskedToday(operator)) }
  for (let after: DuePayment | undefined; !isStopping(); ) {
    const due = await listDuePayments(operator, { from, after, limit: batch })
    for (const payment of due) {
      if (isStopping() || run.unavailable || run.limitReached) return run
      await ask(deps, payment, { isDryRun: mode === 'dry run', day }, run)
    }
    after = due.at(-1)
    if (due.length < batch) break
  }
  return run
}

async function ask(deps: CollectingDependencies, payment: DuePayment, how: HowToAsk, run: CollectingRun) {
  const { entryId } = payment
  try {
    const result = await collectEntry(deps, payment, how, run)
    if (result === 'limit reached') run.limitReached = true
    if (result === 'above limit') run.aboveLimit.push(entryId)
    if (typeof result === 'string') return
    run.outcomes[result.kind === 'final' ? result.notice.outcome : result.kind] += 1
    if (result.kind === 'rejected') run.rejected.push({ entryId, reason: result.reason })
  } catch (error) {
    if (isUnavailable(error)) run.unavailable = true
    else run.failures.push({ entryId, error })
  }
}

interface HowToAsk {
  isDryRun: boolean
  /** Its `asked` grows with every payment. */
  day: DailyLimit
}

/**
 * Asks for one payment and records the result, in two transactions with the call between them. Returns why it does not
 * ask and, in a dry run, `not asked`. Throws `service_unavailable` if the processor cannot be reached; then the same
 * attempt is asked for again later.
 */
async function collectEntry(
  deps: CollectingDependencies,
  due: DuePayment,
  { isDryRun, day }: HowToAsk,
  run: CollectingRun,
): Promise<PaymentResult | Exclude<Awaited<ReturnType<typeof prepareAttempt>>, Attempt> | 'not asked'> {
  const { partnerId, entryId } = due
  const db = deps.databases.forPartner(partnerId, origin)
  const now = new Date(deps.clock.now().getTime() + due.clockOffsetSeconds * 1_000)
  const attempt = await inTransaction(db, {}, (tx) => prepareAttempt(tx, deps, { due, now, isDryRun, day }))
  if (typeof attempt === 'string') return attempt
  day.asked = pence(day.asked + attempt.counts)
  run.asked = { count: run.asked.count + 1, amount: pence(run.asked.amount + attempt.payment.amount) }
  if (isDryRun) return 'not asked'
  const result = await deps.paymentProcessor.takePayment(attempt.payment)
  await inTransaction(db, {}, async (tx) => {
    if (result.kind === 'final') {
      const { notice } = result
      await applyCollection(tx, deps.cipher, { owner: due, notice, now })
      if (notice.outcome === 'failed') await addLateFee(tx, deps, { attempt, due, now })
      return
    }
    if (result.kind === 'card missing') {
      await recordMissingCard(tx, partnerId, attempt.payment.setupIntentId)
      await undoAttempt(tx, partnerId, entryId)
      return
    }
    const paymentId = result.kind === 'pending' ? result.paymentId : null
    await endAttempt(tx, partnerId, entryId, { status: result.kind === 'pending' ? 'submitted' : 'failed', paymentId })
  })
  return result
}

function newRun(): CollectingRun {
  return {
    asked: { count: 0, amount: noPence },
    outcomes: { paid: 0, failed: 0, pending: 0, rejected: 0, 'card missing': 0 },
    rejected: [],
    limitReached: false,
    aboveLimit: [],
    unavailable: false,
    failures: [],
  }
}

/**
 * Returns a function that reads how much of the day's limit has been asked for, from 0 to 1. It returns undefined while
 * the database does not respond.
 */
export function watchLimitUsed(system: Database, { dailyLimit }: CollectingPolicy): () => Promise<number | undefined> {
  return () =>
    sumAskedToday(system).then(
      (asked) => asked / dailyLimit,
      () => undefined,
    )
}
