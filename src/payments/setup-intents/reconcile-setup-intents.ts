import type { RecordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { isUnavailable } from '../../platform/kernel/upstream-failure.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import type { PaymentProcessor, SetupIntent } from '../payment-processor.ts'
import { recordAttachedCard } from './record-attached-card.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { claimIntentsToCheck, findSetupIntent, type IntentToCheck, recordIntentCheck } from './setup-intents.store.ts'

export interface ReconcileDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
  recordContractChange: RecordContractChange
}

/** The result of checking one batch of setup intents. */
export interface ReconciliationResult {
  /** The number of intents claimed, whether or not they were checked. */
  claimed: number
  /** The number of intents whose state the processor returned. */
  checked: number
  /** True if the processor was unavailable. Intents that were not checked are due again in five minutes. */
  unavailable: boolean
  /**
   * Intents that the processor does not know, for which it rejects something (such as to make a card the default), or
   * for which its response could not be recorded. They too are checked less and less often.
   */
  failures: { setupIntentId: string; error: unknown }[]
}

const origin: Origin = { actor: 'worker', operation: 'reconcileSetupIntents' }

/** If the processor fails for this many partners in one batch, it is considered down for all. */
const partnersThatFail = 3

/**
 * Finds changes of setup intents whose webhook was lost, and cancels those that were unfinished when the lock of their
 * quote ended; one that has succeeded meanwhile stays, with its card. Takes up to `batch` open intents that are due for
 * a check, longest overdue first, and reads or cancels them at the processor. While nothing changes, an intent is
 * checked at growing intervals. Calls the processor outside any transaction and records changes under the quote's row
 * lock. Several processes can run this concurrently. Throws only if our own database fails.
 */
export async function reconcileSetupIntents(
  deps: ReconcileDependencies,
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<ReconciliationResult> {
  const claimed = await claimIntentsToCheck(deps.databases.system, batch)
  const failures: ReconciliationResult['failures'] = []
  const failing = new Set<string>()
  let checked = 0
  for (const intent of claimed) {
    if (isStopping() || failing.size >= partnersThatFail) break
    if (failing.has(intent.partnerId)) continue
    try {
      if (await checkIntent(deps, intent, isStopping)) checked += 1
      else failing.add(intent.partnerId)
    } catch (error) {
      if (isUnavailable(error)) throw error
      failures.push({ setupIntentId: intent.setupIntentId, error })
      await recordIntentCheck(deps.databases.system, intent, 'unless changed')
    }
  }
  return { claimed: claimed.length, checked, unavailable: failing.size > 0, failures }
}

/**
 * Reads or cancels the intent or, once it has succeeded, reads its card. Returns false if the processor is unavailable.
 */
async function checkIntent(
  deps: ReconcileDependencies,
  claimed: IntentToCheck,
  isStopping: () => boolean,
): Promise<boolean> {
  const { paymentProcessor } = deps
  const { setupIntentId, partnerId, isToCancel } = claimed
  const ask = isToCancel ? paymentProcessor.cancelSetupIntent : paymentProcessor.readSetupIntent
  const response = claimed.needsCard ? undefined : await unlessUnavailable(ask(setupIntentId))
  if (!claimed.needsCard && response === undefined) return false
  if (response !== undefined) await applyReport(deps, claimed, response)
  // A later check reads the card.
  if (isStopping()) return true
  const db = deps.databases.forPartner(partnerId, origin)
  const card = recordAttachedCard({ ...deps, db }, claimed, setupIntentId)
  const isRead = await unlessUnavailable(card.then(() => true))
  if (claimed.needsCard && isRead === true) await recordIntentCheck(deps.databases.system, claimed, 'unless changed')
  return isRead === true
}

/** Returns undefined if the processor is unavailable. */
async function unlessUnavailable<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

async function applyReport(deps: ReconcileDependencies, claimed: IntentToCheck, intent: SetupIntent): Promise<void> {
  const { customerId, partnerId, quoteId } = claimed
  await inTransaction(deps.databases.forPartner(partnerId, origin), {}, async (tx) => {
    const quote = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
    if (quote === undefined) return
    const stored = await findSetupIntent(tx, partnerId, claimed.setupIntentId)
    const source = { by: 'response', revision: claimed.revision } as const
    await recordSetupIntent(tx, deps.cipher, quote, { customerId, intent, source, now: deps.clock.now() })
    // If the intent has changed since it was claimed, that change scheduled the next check.
    if (stored?.revision === claimed.revision) await recordIntentCheck(tx, claimed)
  })
}
