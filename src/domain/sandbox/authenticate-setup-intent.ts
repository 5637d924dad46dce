import { type Database, inTransaction } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Caller } from '../auth/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import { applyStepOutcome, runSetupIntentStep } from './setup-intent-step.ts'

/**
 * POST /Sandbox/setup-intents/{setupIntentId}/authenticate: simulates the bank's decision when a card requires authentication. The
 * outcome takes effect in the same way as that of a confirmation. Throws `validation_failed` if the intent is not waiting for
 * authentication.
 */
export async function authenticateSetupIntent(
  deps: { db: Database; cipher: FieldCipher; sandboxProcessor: SandboxProcessor | undefined },
  caller: Caller,
  input: { setupIntentId: string; outcome: 'passed' | 'failed' },
): Promise<SetupIntent> {
  const acted = await runSetupIntentStep(deps, caller, input.setupIntentId, (processor) =>
    processor.authenticateSetupIntent(input.setupIntentId, input.outcome, caller.responseRecorder?.effectKey),
  )
  return inTransaction(deps.db, caller, (tx) => applyStepOutcome(tx, deps.cipher, caller, acted))
}
