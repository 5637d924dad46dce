import type { Database, Tx } from '../../db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { insertAuditEntry } from '../audit/audit-log.store.ts'
import type { Caller } from '../auth/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/record-setup-intent.ts'
import { type SandboxProcessor, tellsAtOnce } from '../payments/sandbox-processor.ts'
import { findSetupIntent, type StoredSetupIntent } from '../payments/setup-intents.store.ts'
import { loadLockedQuote } from '../quotes/load-quote.ts'
import { requireSimulator } from './required-simulator.ts'

/** A step that was taken at the simulated processor, and whether its outcome is taken in at once. */
interface ActedIntent {
  stored: StoredSetupIntent
  intent: SetupIntent
  isTakenIn: boolean
}

/** Takes a step with one of the partner's intents, outside any transaction. Throws `not_found`. */
export async function actOnSetupIntent(
  { db, sandboxProcessor }: { db: Database; sandboxProcessor: SandboxProcessor | undefined },
  caller: Caller,
  setupIntentId: string,
  step: (processor: SandboxProcessor) => Promise<SetupIntent>,
): Promise<ActedIntent> {
  const stored = await findSetupIntent(db, caller.partnerId, setupIntentId)
  if (stored === undefined) throw notFound('setup intent')
  const processor = requireSimulator(sandboxProcessor)
  const isTakenIn = tellsAtOnce(await processor.readSteering(caller.partnerId))
  return { stored, intent: await step(processor), isTakenIn }
}

/**
 * The outcome as the processor's notice would bring it; where notices are steered it is left to them. That the processor was
 * asked is in the audit log either way: its notice may have been faster.
 */
export async function takeInOutcome(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  { stored, intent, isTakenIn }: ActedIntent,
): Promise<SetupIntent> {
  const { setupIntentId, quoteId, customerId } = stored
  const subject = { subjectType: 'setup intent', subjectId: setupIntentId, quoteId, customerId }
  await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
  if (!isTakenIn) return intent
  const quote = await loadLockedQuote(tx, cipher, caller, stored.quoteId)
  await recordSetupIntent(tx, quote, { customerId: stored.customerId, intent, told: { by: 'step' }, now: caller.now })
  return intent
}
