import { type Database, inTransaction } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Caller } from '../auth/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import { applyStepOutcome, runSetupIntentStep } from './setup-intent-step.ts'

/**
 * POST /Sandbox/setup-intents/{setupIntentId}/confirm: confirms the intent as the tenant's browser would. Applies the outcome
 * immediately, unless the sandbox delays or drops notices.
 */
export async function confirmSetupIntent(
  deps: { db: Database; cipher: FieldCipher; sandboxProcessor: SandboxProcessor | undefined },
  caller: Caller,
  input: { setupIntentId: string; paymentMethod: string },
): Promise<SetupIntent> {
  const acted = await runSetupIntentStep(deps, caller, input.setupIntentId, (processor) =>
    processor.confirmSetupIntent(input.setupIntentId, input.paymentMethod),
  )
  return inTransaction(deps.db, caller, (tx) => applyStepOutcome(tx, deps.cipher, caller, acted))
}
