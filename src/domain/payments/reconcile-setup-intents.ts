import type { Origin } from '../../db/access.ts'
import { inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { lockQuote } from '../quotes/quotes.store.ts'
import { claimIntentsToAsk, type IntentToAsk, updateAsked } from './asked-intents.store.ts'
import type { PaymentProcessor, SetupIntent } from './payment-processor.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { findSetupIntent } from './setup-intents.store.ts'

export interface ReconcileDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
}

/** What one round came to. */
export interface Reconciliation {
  /** How many intents had their turn, asked about or not. */
  claimed: number
  /** How many the processor answered for. */
  answered: number
  /** True where the processor could not take a call; what was not asked has its turn again in five minutes. */
  unavailable: boolean
  /** Intents the processor does not know or whose answer could not be taken in. They too are asked about ever less often. */
  failures: { setupIntentId: string; error: unknown }[]
}

const origin: Origin = { actor: 'worker', operation: 'reconcileSetupIntents' }

/** A processor that fails for so many partners in one round is down for all. */
const partnersThatFail = 3

/**
 * Takes in what the processor has not told us, because its notice was lost: asks about open intents that were silent for some
 * minutes, oldest first, at most `batch` of them, each at intervals that grow while there is no news. Asks outside any
 * transaction and records under the quote's lock. Any number of processes may do it at once. Throws only where our own
 * database fails.
 */
export async function reconcileSetupIntents(
  deps: ReconcileDependencies,
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<Reconciliation> {
  const claimed = await claimIntentsToAsk(deps.databases.system, batch)
  const failures: Reconciliation['failures'] = []
  const failing = new Set<string>()
  let answered = 0
  for (const intent of claimed) {
    if (isStopping() || failing.size >= partnersThatFail) break
    if (failing.has(intent.partnerId)) continue
    try {
      const answer = await ask(deps.paymentProcessor, intent.setupIntentId)
      if (answer === undefined) {
        failing.add(intent.partnerId)
        continue
      }
      await takeIn(deps, intent, answer)
      answered += 1
    } catch (error) {
      if (isUnavailable(error)) throw error
      failures.push({ setupIntentId: intent.setupIntentId, error })
      await updateAsked(deps.databases.system, intent, 'unless heard')
    }
  }
  return { claimed: claimed.length, answered, unavailable: failing.size > 0, failures }
}

/** Undefined where the processor cannot take the call at the moment. */
async function ask(processor: PaymentProcessor, setupIntentId: string): Promise<SetupIntent | undefined> {
  try {
    return await processor.readSetupIntent(setupIntentId)
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'service_unavailable'
}

async function takeIn(deps: ReconcileDependencies, claimed: IntentToAsk, intent: SetupIntent): Promise<void> {
  const { customerId, partnerId, quoteId } = claimed
  await inTransaction(deps.databases.forPartner(partnerId, origin), {}, async (tx) => {
    const quote = await lockQuote(tx, deps.cipher, partnerId, quoteId)
    if (quote === undefined) return
    const stored = await findSetupIntent(tx, partnerId, claimed.setupIntentId)
    const told = { by: 'answer', revision: claimed.revision } as const
    await recordSetupIntent(tx, quote, { customerId, intent, told, now: deps.clock.now() })
    // Whatever was heard meanwhile has set the next time.
    if (stored?.revision === claimed.revision) await updateAsked(tx, claimed)
  })
}
