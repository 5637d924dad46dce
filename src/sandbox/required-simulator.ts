import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import { DomainError } from '../platform/kernel/errors.ts'

/**
 * Returns the simulated processor. Throws `service_unavailable` if the sandbox uses the real processor, which has its
 * own test tools.
 */
export function requireSimulator(processor: SandboxProcessor | undefined): SandboxProcessor {
  if (processor !== undefined) return processor
  throw new DomainError(
    'service_unavailable',
    "This sandbox uses a real payment processor. Use the processor's own test tools instead.",
    { retryAfterSeconds: 3_600 },
  )
}
