import type { Caller } from '../partners/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import { inTransaction } from '../platform/db/database.ts'
import { applyStepOutcome, readCardOfStep, runSetupIntentStep, type StepDependencies } from './setup-intent-step.ts'

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
