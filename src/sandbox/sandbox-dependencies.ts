import type { PartnerDirectory } from '../partners/partner-directory.ts'
import type { SandboxProcessor } from '../payments/sandbox-processor.ts'
import type { QueueDueTenantMails } from './advance-clock.ts'

/** What only the operations of a sandbox use. */
export interface SandboxDependencies {
  partners: PartnerDirectory
  /** Undefined unless this is a sandbox with the simulated processor. */
  sandboxProcessor: SandboxProcessor | undefined
  /** Does for one partner at once what the job `queue-tenant-mails` does. */
  queueDueTenantMails: QueueDueTenantMails
}
