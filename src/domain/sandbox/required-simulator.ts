import { DomainError } from '../../kernel/errors.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'

/** Throws `service_unavailable` in a sandbox on the real processor, which is steered with its own test tools. */
export function requireSimulator(processor: SandboxProcessor | undefined): SandboxProcessor {
  if (processor !== undefined) return processor
  throw new DomainError(
    'service_unavailable',
    'This sandbox uses the real processor: use its own test tools instead of this call.',
    { retryAfterSeconds: 3_600 },
  )
}
