import type { Tx } from '../../platform/db/database.ts'
import { addDays, endOfDayBefore } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { endOnboardingLinksOf } from '../../quoting/tenants/link-revisions.store.ts'
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
 * Earlier links and their sessions end at once. The caller has checked that the customer is still there, in this
 * transaction. Throws as `lastMomentOfPages`.
 */
export async function issueOnboardingLink(
  tx: Tx,
  deps: OnboardingLinkDependencies,
  about: TenantWithPages,
): Promise<OnboardingLink> {
  lastMomentOfPages(about)
  const { quote, customerId } = about
  const revision = await endOnboardingLinksOf(tx, { partnerId: quote.partnerId, customerId })
  return signOnboardingLink(deps, about, revision)
}

/** A link that works with this number of the customer's links. Throws as `lastMomentOfPages`. */
export async function signOnboardingLink(
  { onboardingLinks, contractUrlPolicy: { publicUrl } }: OnboardingLinkDependencies,
  about: TenantWithPages,
  revision: number,
): Promise<OnboardingLink> {
  const { customerId, now } = about
  const lastMoment = lastMomentOfPages(about)
  const whole = linkExpiry(now, onboardingLinkDays * 86_400)
  const expiresAt = whole < lastMoment ? whole : lastMoment
  const token = await onboardingLinks.sign({ customerId, revision, expiresAt })
  return { customerId, url: `${tenantPagesAddress(publicUrl)}/${customerId}/links/${token}`, expiresAt }
}

/** A tenant of a quote, at a time on the partner's clock. */
interface TenantWithPages {
  quote: Quote
  customerId: Id<'tenant'>
  now: Date
}

/**
 * Until when the tenant has pages. Throws `quote_cancelled`, and `contract_not_in_force` once the contract has been
 * over for 30 days.
 */
export function lastMomentOfPages({ quote, customerId, now }: TenantWithPages): Date {
  if (quote.stage === 'cancelled')
    throw new DomainError(
      'quote_cancelled',
      'The quote is cancelled, so its tenants have no pages. Create a new quote.',
    )
  const lastMoment = endOfDayBefore(addDays(lastDayOfTenant(quote, customerId), daysAfterContract + 1))
  if (lastMoment > now) return lastMoment
  throw new DomainError(
    'contract_not_in_force',
    `The contract ended more than ${daysAfterContract} days ago, so the tenant's pages are closed. The documents stay available: see GET /Customers/{id}/contracts.`,
  )
}

function lastDayOfTenant({ tenants, contractEndDate }: Quote, customerId: Id<'tenant'>) {
  return tenants.find(({ tenantId }) => tenantId === customerId)?.leavesOn ?? contractEndDate
}
