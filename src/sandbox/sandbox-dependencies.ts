import type { PartnerDirectory } from '../partners/partner-directory.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { QueueDueTenantMails } from './advance-clock.ts'

/** What only the operations of a sandbox use. */
export interface SandboxDependencies {
  partners: PartnerDirectory
  /** Undefined unless this is a sandbox with the simulated processor. */
  sandboxProcessor: SandboxProcessor | undefined
  /** Does for one partner at once what the job `queue-tenant-mails` does. */
  queueDueTenantMails: QueueDueTenantMails
}

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
