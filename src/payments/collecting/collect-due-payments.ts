import type { Origin } from '../../platform/db/access.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleInParallel } from '../../platform/jobs/handle-all.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { noPence, type Pence, pence } from '../../platform/kernel/money.ts'
import { isUnavailable } from '../../platform/kernel/upstream-failure.ts'
import { applyCollection } from '../apply-collection.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
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
  /** How many payments the processor is asked for at once. */
  parallel: number
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
 * cannot be recorded does not stop the others. Attempts are stored one after another, by due date, so that the limit is
 * exact; then up to `parallel` are asked for at once, but of one customer only one. Throws only if our own database fails.
 */
export async function collectDuePayments(
  deps: CollectingDependencies,
  { mode, from, dailyLimit, parallel }: CollectingPolicy,
  { isStopping }: { isStopping(): boolean },
): Promise<CollectingRun> {
  const operator = deps.databases.system
  const run = newRun()
  const day = { limit: dailyLimit, asked: pence(await sumAskedToday(operator)) }
  await handleInParallel<DuePayment>({
    listAfter: (after) => listDuePayments(operator, { now: deps.clock.now(), from, after, limit: batch }),
    start: (payment) => prepare(deps, payment, { isDryRun: mode === 'dry run', day }, run),
    keyOf: ({ customerId }) => customerId,
    isStopping: () => isStopping() || run.unavailable || run.limitReached,
    ...{ batch, parallel },
  })
  return run
}

interface HowToAsk {
  isDryRun: boolean
  /** Its `asked` grows with every payment. */
  day: DailyLimit
}

/** Stores the attempt. Returns what asks for it; undefined if it is not asked for, or could not be stored. */
async function prepare(
  deps: CollectingDependencies,
  due: DuePayment,
  { isDryRun, day }: HowToAsk,
  run: CollectingRun,
): Promise<(() => Promise<void>) | undefined> {
  const { partnerId, entryId } = due
  const db = deps.databases.forPartner(partnerId, origin)
  const now = new Date(deps.clock.now().getTime() + due.clockOffsetSeconds * 1_000)
  const attempt = await noting(run, entryId, () =>
    inTransaction(db, {}, (tx) => prepareAttempt(tx, deps, { due, now, isDryRun, day })),
  )
  if (attempt === 'limit reached') run.limitReached = true
  if (attempt === 'above limit') run.aboveLimit.push(entryId)
  if (attempt === undefined || typeof attempt === 'string') return undefined
  day.asked = pence(day.asked + attempt.counts)
  run.asked = { count: run.asked.count + 1, amount: pence(run.asked.amount + attempt.payment.amount) }
  return isDryRun ? undefined : () => noting(run, entryId, () => ask(deps, { due, attempt, now }, run))
}

/** Notes a failure in the run, and returns undefined. */
async function noting<Result>(
  run: CollectingRun,
  entryId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isUnavailable(error)) run.unavailable = true
    else run.failures.push({ entryId, error })
    return undefined
  }
}

/**
 * Asks for one payment, then records the result. Throws `service_unavailable` if the processor cannot be reached; then
 * the same attempt is asked for again later.
 */
async function ask(
  deps: CollectingDependencies,
  { due, attempt, now }: { due: DuePayment; attempt: Attempt; now: Date },
  run: CollectingRun,
): Promise<void> {
  const { partnerId, entryId } = due
  const result = await deps.paymentProcessor.takePayment(attempt.payment)
  await inTransaction(deps.databases.forPartner(partnerId, origin), {}, async (tx) => {
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
  run.outcomes[result.kind === 'final' ? result.notice.outcome : result.kind] += 1
  if (result.kind === 'rejected') run.rejected.push({ entryId, reason: result.reason })
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
