import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import { isUnavailable } from '../../platform/kernel/upstream-failure.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { payRefund } from './pay-refund.ts'
import { countRefundsDue, listOpenRefunds, type OpenRefund, sumRefundedByJob } from './refunding.store.ts'

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
  outcomes: Record<'accepted' | 'rejected' | 'later', number>
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
 * Pays refunds that are open, the one that must be paid first first. A refund above the limit is never passed over: one
 * above what is left of the day waits for tomorrow, and one above the whole limit for a person. Throws only if our own
 * database fails.
 */
export async function payOpenRefunds(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { from, dailyLimit }: RefundingPolicy,
  { isStopping }: { isStopping(): boolean },
): Promise<RefundingRun> {
  const operator = deps.databases.system
  const run: RefundingRun = {
    asked: 0,
    outcomes: { accepted: 0, rejected: 0, later: 0 },
    waiting: null,
    disputed: [],
    unavailable: false,
    failures: [],
  }
  const now = deps.clock.now()
  let counted = await sumRefundedByJob(operator, now)
  for (let after: OpenRefund | undefined; !isStopping(); ) {
    const refunds = await listOpenRefunds(operator, { from, now, after, limit: batch })
    for (const refund of refunds) {
      if (isStopping() || run.unavailable) return run
      // What is asked for again, because the processor did not answer, counts once a day.
      if (counted - refund.counted + refund.open > dailyLimit)
        return { ...run, waiting: { entryId: refund.entryId, isAboveWholeLimit: refund.open > dailyLimit } }
      counted += Math.max(0, (await pay(deps, refund, run)) - refund.counted)
    }
    after = refunds.at(-1)
    if (refunds.length < batch) break
  }
  return run
}

/** Pays one refund. Returns what the processor was asked for or, if it may have been, everything that is open. */
async function pay(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { partnerId, entryId, open, clockOffsetSeconds }: OpenRefund,
  run: RefundingRun,
): Promise<number> {
  const db = deps.databases.forPartner(partnerId, origin)
  const askedAt = deps.clock.now()
  const now = new Date(askedAt.getTime() + clockOffsetSeconds * 1_000)
  try {
    const paid = await payRefund(
      { ...deps, transact: (work) => inTransaction(db, {}, work) },
      { partnerId, entryId, byJob: true, askedAt, now },
    )
    run.asked += paid.asked
    for (const outcome of ['accepted', 'rejected', 'later'] as const) run.outcomes[outcome] += paid.outcomes[outcome]
    return paid.asked
  } catch (error) {
    if (error instanceof DomainError && error.code === 'payment_status_not_allowed') {
      run.disputed.push(entryId)
      return 0
    }
    if (isUnavailable(error)) run.unavailable = true
    else run.failures.push({ entryId, error })
    return open
  }
}

/** How many open refunds must be paid back within three days, and how many should have been. */
export function countDueRefunds({ databases }: { databases: Databases }): ReturnType<typeof countRefundsDue> {
  return countRefundsDue(databases.system)
}
