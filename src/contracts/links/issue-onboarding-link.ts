import type { Tx } from '../../platform/db/database.ts'
import { addDays, endOfDayBefore } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { endOnboardingLinksOf, findOnboardingRevision } from './link-revisions.store.ts'
import { type ContractUrlPolicy, linkExpiry, onboardingLinkDays } from './link-token.ts'
import type { OnboardingLinks } from './onboarding-link.ts'

/** A link to a tenant's pages. */
export interface OnboardingLink {
  customerId: Id<'tenant'>
  url: string
  expiresAt: Date
}

export interface OnboardingLinkDependencies {
  onboardingLinks: OnboardingLinks
  contractUrlPolicy: Pick<ContractUrlPolicy, 'publicUrl'>
}

/** How many days after the last day of their contract a tenant can open their pages. */
const daysAfterContract = 30

/** Where a tenant asks for a fresh link. It has no secret, so contracts and e-mails print it. */
export function tenantPagesAddress(publicUrl: string): string {
  return `${publicUrl}/my-bills`
}

/**
 * Makes a link to a tenant's pages. It works for 30 days, but at most until 30 days after the contract's last day.
 * Earlier links and their sessions end at once, or with `whenOpened` when the tenant opens this one. The caller has
 * checked that the customer is still there, in this transaction. Throws `quote_cancelled`, and `contract_not_in_force`
 * once the contract has been over for 30 days.
 */
export async function issueOnboardingLink(
  tx: Tx,
  { onboardingLinks, contractUrlPolicy: { publicUrl } }: OnboardingLinkDependencies,
  { quote, customerId, now }: { quote: Quote; customerId: Id<'tenant'>; now: Date },
  endsEarlier: 'at once' | 'when opened',
): Promise<OnboardingLink> {
  if (quote.stage === 'cancelled')
    throw new DomainError(
      'quote_cancelled',
      'The quote is cancelled, so its tenants have no pages. Create a new quote.',
    )
  const lastMoment = endOfDayBefore(addDays(lastDayOfTenant(quote, customerId), daysAfterContract + 1))
  if (lastMoment <= now)
    throw new DomainError(
      'contract_not_in_force',
      `The contract ended more than ${daysAfterContract} days ago, so the tenant's pages are closed. The documents stay available: see GET /Customers/{id}/contracts.`,
    )
  const whole = linkExpiry(now, onboardingLinkDays * 86_400)
  const expiresAt = whole < lastMoment ? whole : lastMoment
  const key = { partnerId: quote.partnerId, customerId }
  const revision =
    endsEarlier === 'at once' ? await endOnboardingLinksOf(tx, key) : (await findOnboardingRevision(tx, key)) + 1
  const token = await onboardingLinks.sign({ customerId, revision, expiresAt })
  return { customerId, url: `${tenantPagesAddress(publicUrl)}/${customerId}/links/${token}`, expiresAt }
}

function lastDayOfTenant({ tenants, contractEndDate }: Quote, customerId: Id<'tenant'>) {
  return tenants.find(({ tenantId }) => tenantId === customerId)?.leavesOn ?? contractEndDate
}
