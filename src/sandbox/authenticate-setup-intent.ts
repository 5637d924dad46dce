import type { Caller } from '../partners/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import { inTransaction } from '../platform/db/database.ts'
import { applyStepOutcome, readCardOfStep, runSetupIntentStep, type StepDependencies } from './setup-intent-step.ts'

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
