import { loadQuoteForUpdate } from '../contracts/load-quote-for-update.ts'
import type { Caller } from '../partners/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import { deliversWebhooksAtOnce, type SandboxProcessor } from '../payments/sandbox-processor.ts'
import { type CardDependencies, recordAttachedCard } from '../payments/setup-intents/record-attached-card.ts'
import { recordSetupIntent } from '../payments/setup-intents/record-setup-intent.ts'
import { findSetupIntent, type StoredSetupIntent } from '../payments/setup-intents/setup-intents.store.ts'
import { insertAuditEntry } from '../platform/audit/audit-log.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { requireSimulator } from './sandbox-dependencies.ts'

interface StepDependencies extends CardDependencies {
  sandboxProcessor: SandboxProcessor | undefined
}

/** The result of a setup step at the simulated processor, and whether to apply its outcome immediately. */
interface StepResult {
  stored: StoredSetupIntent
  intent: SetupIntent
  appliesAtOnce: boolean
}

/**
 * Makes the simulated processor perform a step on one of the partner's setup intents. Runs outside any transaction.
 * Throws
 * `not_found` and `service_unavailable`.
 */
async function runSetupIntentStep(
  { db, sandboxProcessor }: { db: Database; sandboxProcessor: SandboxProcessor | undefined },
  caller: Caller,
  setupIntentId: string,
  step: (processor: SandboxProcessor) => Promise<SetupIntent>,
): Promise<StepResult> {
  const stored = await findSetupIntent(db, caller.partnerId, setupIntentId)
  if (stored === undefined) throw notFound('setup intent')
  const processor = requireSimulator(sandboxProcessor)
  const appliesAtOnce = deliversWebhooksAtOnce(await processor.readBehaviour(caller.partnerId))
  return { stored, intent: await step(processor), appliesAtOnce }
}

/** Reads the card that a step attached, after its outcome has been applied. Runs outside any transaction. */
async function readCardOfStep(deps: StepDependencies, { stored, appliesAtOnce }: StepResult): Promise<void> {
  if (appliesAtOnce) await recordAttachedCard(deps, stored, stored.setupIntentId)
}

/**
 * Applies the outcome in the same way as the processor's notice would, unless the sandbox delays or drops notices.
 * Always records the call in the audit log, because the notice may have arrived first.
 */
async function applyStepOutcome(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  { stored, intent, appliesAtOnce }: StepResult,
): Promise<SetupIntent> {
  const { setupIntentId, quoteId, customerId } = stored
  const subject = { subjectType: 'setup intent', subjectId: setupIntentId, quoteId, customerId }
  await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
  if (!appliesAtOnce) return intent
  const quote = await loadQuoteForUpdate(tx, cipher, caller, stored.quoteId)
  await recordSetupIntent(tx, cipher, quote, {
    customerId: stored.customerId,
    intent,
    source: { by: 'command' },
    now: caller.now,
  })
  return intent
}

/**
 * POST /Sandbox/setup-intents/{setupIntentId}/confirm: confirms the intent as the tenant's browser would. Applies the
 * outcome immediately, unless the sandbox delays or drops notices.
 */
export async function confirmSetupIntent(
  deps: StepDependencies,
  caller: Caller,
  input: { setupIntentId: string; paymentMethod: string },
): Promise<SetupIntent> {
  const acted = await runSetupIntentStep(deps, caller, input.setupIntentId, (processor) =>
    processor.confirmSetupIntent(input.setupIntentId, input.paymentMethod, caller.responseRecorder?.effectKey),
  )
  const intent = await inTransaction(deps.db, caller, (tx) => applyStepOutcome(tx, deps.cipher, caller, acted))
  await readCardOfStep(deps, acted)
  return intent
}

/**
 * POST /Sandbox/setup-intents/{setupIntentId}/authenticate: simulates the bank's decision when a card requires
 * authentication. The outcome takes effect in the same way as that of a confirmation. Throws `validation_failed` if the
 * intent is not waiting for authentication.
 */
export async function authenticateSetupIntent(
  deps: StepDependencies,
  caller: Caller,
  input: { setupIntentId: string; outcome: 'passed' | 'failed' },
): Promise<SetupIntent> {
  const acted = await runSetupIntentStep(deps, caller, input.setupIntentId, (processor) =>
    processor.authenticateSetupIntent(input.setupIntentId, input.outcome, caller.responseRecorder?.effectKey),
  )
  const intent = await inTransaction(deps.db, caller, (tx) => applyStepOutcome(tx, deps.cipher, caller, acted))
  await readCardOfStep(deps, acted)
  return intent
}
