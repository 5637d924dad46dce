import type { CausedKind } from '../contracts/mails/caused-mails.store.ts'
import { countCausedMails } from '../contracts/mails/count-caused-mails.ts'
import type { Visit } from './tenant-visit.ts'

/**
 * Counts the e-mails to others that the tenant is about to cause. Call it before what causes them. Throws
 * `rate_limited` above the caps of a day.
 */
export function causes(
  { deps, caller, quote, customerId }: Visit,
  kind: CausedKind,
  emails: readonly string[],
): Promise<void> {
  return countCausedMails(deps, caller, { kind, quoteId: quote.quoteId, causedBy: customerId, emails })
}
