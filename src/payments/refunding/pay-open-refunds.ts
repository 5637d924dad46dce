import type { Origin } from '../../platform/db/access.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleInParallel } from '../../platform/jobs/handle-all.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import { watched } from '../../platform/kernel/refreshed.ts'
import { isUnavailable } from '../../platform/kernel/upstream-failure.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { askForOrders, type RefundingDependencies, storeOrders } from './pay-refund.ts'
import {
  countRefundsDue,
  listOpenRefunds,
  type OpenRefund,
  type RefundsDue,
  sumRefundedByJob,
} from './refunding.store.ts'

/** What the operator allows. */
export interface RefundingPolicy {
  /** Refunds that were planned before this day are never paid by the job. */
  from: IsoDate
  /** The most that the job pays back in a day. */
  dailyLimit: Pence
  /** For how many refunds the processor is asked at once. */
  parallel: number
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
 * above what is left of the day waits for tomorrow, and one above the whole limit for a person. Orders are stored one
 * refund after another, so that the limit is exact; then up to `parallel` refunds are asked for at once, but of one
 * customer only one. Throws only if our own database fails.
 */
export async function payOpenRefunds(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { from, dailyLimit, parallel }: RefundingPolicy,
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
  await handleInParallel<OpenRefund>({
    listAfter: (after) => listOpenRefunds(operator, { from, now, after, limit: batch }),
    async start(refund) {
      const { entryId, open } = refund
      // What is asked for again, because the processor did not answer, counts once a day.
      if (counted - refund.counted + open > dailyLimit) {
        run.waiting = { entryId, isAboveWholeLimit: open > dailyLimit }
        return undefined
      }
      const { asking, pay } = await prepare(deps, refund, run)
      counted += Math.max(0, asking - refund.counted)
      return pay
    },
    keyOf: ({ customerId }) => customerId,
    isStopping: () => isStopping() || run.unavailable || run.waiting !== null,
    ...{ batch, parallel },
  })
  return run
}

/**
 * Stores the orders of one refund. Returns what pays it, and what the processor is then asked for or, if it may have
 * been, everything that is open.
 */
async function prepare(
  deps: { databases: Databases; cipher: FieldCipher; clock: Clock; paymentProcessor: PaymentProcessor },
  { partnerId, entryId, open, clockOffsetSeconds }: OpenRefund,
  run: RefundingRun,
): Promise<{ asking: number; pay?: () => Promise<void> }> {
  const db = deps.databases.forPartner(partnerId, origin)
  const askedAt = deps.clock.now()
  const refund = {
    ...{ partnerId, entryId, byJob: true, askedAt },
    now: new Date(askedAt.getTime() + clockOffsetSeconds * 1_000),
  }
  const refunding: RefundingDependencies = { ...deps, transact: (work) => inTransaction(db, {}, work) }
  const note = (error: unknown) => {
    if (isUnavailable(error)) run.unavailable = true
    else run.failures.push({ entryId, error })
  }
  try {
    const stored = await storeOrders(refunding, refund)
    const pay = async () => {
      const paid = await askForOrders(refunding, refund, stored)
      run.asked += paid.asked
      for (const outcome of ['accepted', 'rejected', 'later'] as const) run.outcomes[outcome] += paid.outcomes[outcome]
    }
    return { asking: stored.orders.reduce((sum, { amount }) => sum + amount, 0), pay: () => pay().catch(note) }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'payment_status_not_allowed') {
      run.disputed.push(entryId)
      return { asking: 0 }
    }
    note(error)
    return { asking: open }
  }
}

/** How many open refunds must be paid back within three days, and how many should have been. */
export function countDueRefunds({
  databases,
  clock,
}: {
  databases: Databases
  clock: Clock
}): ReturnType<typeof countRefundsDue> {
  return countRefundsDue(databases.system, clock.now())
}

/** The same for the metrics, counted at most every 30 seconds; undefined while the database does not respond. */
export function watchRefunds(system: Database, clock: Clock): () => Promise<RefundsDue | undefined> {
  return watched(() => countRefundsDue(system, clock.now()), 30_000)
}
