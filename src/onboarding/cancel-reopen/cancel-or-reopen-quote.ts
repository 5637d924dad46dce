import { loadQuoteForUpdate } from '../../contracts/load-quote-for-update.ts'
import { endAgreements } from '../../contracts/termination/end-agreements.ts'
import type { Caller } from '../../partners/caller.ts'
import type { PaymentProcessor, SetupIntent } from '../../payments/payment-processor.ts'
import { recordSetupIntent } from '../../payments/setup-intents/record-setup-intent.ts'
import {
  listUncancelledSetupIntents,
  type StoredSetupIntent,
} from '../../payments/setup-intents/setup-intents.store.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { loadQuote } from '../../quoting/quotes/load-quote.ts'
import { type Quote, unlocked } from '../../quoting/quotes/quote.ts'
import { requireOperation, statusAfterOperation } from '../../quoting/quotes/quote-operations.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'

/** A stored setup intent, and the processor's response to its cancellation. */
interface CancellationResult {
  stored: StoredSetupIntent
  intent: SetupIntent
}

/**
 * Cancels a quote's setup intents at the processor, except those that succeeded. Call it before the transaction that
 * records the result, because external calls are not allowed inside one. Cancelling twice is harmless, so the call can
 * be repeated after a crash.
 */
async function cancelOpenIntents(
  processor: PaymentProcessor,
  open: readonly StoredSetupIntent[],
): Promise<CancellationResult[]> {
  return Promise.all(
    open
      .filter((stored) => stored.status !== 'succeeded')
      .map(async (stored) => ({ stored, intent: await processor.cancelSetupIntent(stored.setupIntentId) })),
  )
}

/**
 * Whether every intent that was open has now succeeded or been cancelled. False if a tenant has just created another
 * intent, or if the processor is still processing one.
 */
function haveAllIntentsEnded(open: readonly StoredSetupIntent[], ended: readonly CancellationResult[]): boolean {
  const over = new Set(
    ended
      .filter(({ intent }) => intent.status === 'canceled' || intent.status === 'succeeded')
      .map(({ stored }) => stored.setupIntentId),
  )
  return open.every(({ setupIntentId, status }) => status === 'succeeded' || over.has(setupIntentId))
}

/** Records the processor's responses to the cancellations. The caller holds the quote's row lock. */
async function recordCancellationResults(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  ended: readonly CancellationResult[],
  now: Date,
): Promise<Quote> {
  let current = quote
  for (const { stored, intent } of ended) {
    current = await recordSetupIntent(tx, cipher, current, {
      customerId: stored.customerId,
      intent,
      source: { by: 'command' },
      now,
    })
  }
  return current
}

/**
 * POST /Quotes/{id}/cancel (not in the specification): cancels an open or active quote. Throws `already_onboarded` if a
 * contract is in force.
 */
export function cancelQuote(
  deps: Parameters<typeof cancelOrReopenQuote>[0],
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return cancelOrReopenQuote(deps, caller, quoteId, 'cancel')
}

/**
 * POST /Quotes/{id}/reopen (not in the specification): makes an active quote open again, so that it can be changed. The
 * quote gets back the last status that it had while it was open. Throws `already_onboarded` if a contract is in force.
 */
export function reopenQuote(
  deps: Parameters<typeof cancelOrReopenQuote>[0],
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<Quote> {
  return cancelOrReopenQuote(deps, caller, quoteId, 'reopen')
}

/** The maximum number of attempts. An attempt fails if a tenant starts a new setup intent in the meantime. */
const rounds = 3

const reasons = { cancel: 'quote_cancelled', reopen: 'reopened' } as const

interface Dependencies {
  db: Database
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
}

/**
 * Cancels or reopens a quote, after first cancelling its open setup intents at the processor. Attached cards stay with
 * the processor; we never charge them. Contracts that tenants have agreed to are superseded. Throws
 * `service_unavailable` if tenants start setup intents faster than they can be cancelled, or if the processor is still
 * processing one.
 */
async function cancelOrReopenQuote(
  deps: Dependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  operation: 'cancel' | 'reopen',
): Promise<Quote> {
  for (let round = 1; round <= rounds; round += 1) {
    try {
      return await cancelOrReopenOnce(deps, caller, quoteId, operation)
    } catch (error) {
      if (!(error instanceof IntentStillOpen)) throw error
    }
  }
  throw new DomainError(
    'service_unavailable',
    'A tenant is setting up payment right now. Nothing was changed. Send the request again.',
    { retryAfterSeconds: 1 },
  )
}

/** Thrown so that the transaction changes nothing and stores no response for the idempotency key. */
class IntentStillOpen extends Error {}

/**
 * Returns the changed quote. Throws `IntentStillOpen` and changes nothing if an intent is still open at the processor.
 */
async function cancelOrReopenOnce(
  { db, cipher, paymentProcessor }: Dependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  operation: 'cancel' | 'reopen',
): Promise<Quote> {
  const seen = await loadQuote(db, cipher, caller, quoteId)
  requireOperation(seen, operation, caller.now)
  const ended = await cancelOpenIntents(
    paymentProcessor,
    await listUncancelledSetupIntents(db, caller.partnerId, quoteId),
  )
  return inTransaction(db, caller, async (tx) => {
    const before = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    requireOperation(before, operation, caller.now)
    const uncancelled = await listUncancelledSetupIntents(tx, caller.partnerId, quoteId)
    if (!haveAllIntentsEnded(uncancelled, ended)) throw new IntentStillOpen()
    const recorded = await recordCancellationResults(tx, cipher, before, ended, caller.now)
    const reason = reasons[operation]
    await endAgreements(tx, caller, recorded, { status: 'superseded', reason })
    // A quote is reopened because somebody or something is missing: who shares the bills is to be said again.
    const quote = { ...unlocked(recorded), householdCompleteAt: null }
    return saveQuote(tx, caller, before, { ...quote, ...statusAfterOperation(quote, operation) }, reason)
  })
}
