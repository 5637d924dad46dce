import { retryGivenUpTenantMails } from '../../contracts/mails/tenant-mails.store.ts'
import type { Database } from '../../platform/db/database.ts'
import { retryGivenUpMails } from './partner-mails.store.ts'

/**
 * POST /operator-api/Mails/retry: lets all that was given up from `from` until before `before` be sent again, of all
 * partners. Returns how many e-mails. What is over by then is not sent.
 */
export async function retryGivenUp(
  system: Database,
  period: { from: Date; before: Date; now: Date },
): Promise<{ tenants: number; partners: number }> {
  return {
    tenants: await retryGivenUpTenantMails(system, period),
    partners: await retryGivenUpMails(system, period),
  }
}
