import { type AddProductsDependencies, addProducts, prepareProducts } from '../broadband/add-products.ts'
import {
  issueOnboardingLink,
  type OnboardingLink,
  type OnboardingLinkDependencies,
} from '../contracts/links/issue-onboarding-link.ts'
import { queueLinkMails } from '../contracts/mails/link-mail.ts'
import type { TenantMailDependencies } from '../contracts/mails/queue-mails.ts'
import type { Caller } from '../partners/caller.ts'
import { requireRegisteredReturnUrl } from '../partners/partner-settings.schema.ts'
import { findReturnUrls } from '../partners/partner-settings.store.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { Package } from '../quoting/packages/package.ts'
import {
  insertNewQuote,
  type NewQuoteDependencies,
  type NewQuoteInput,
  prepareQuote,
} from '../quoting/quotes/new-quote.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { addNewTenants } from '../quoting/tenants/new-tenants.ts'
import type { TenantInput } from '../quoting/tenants/personal-details.schema.ts'
import { requireTenantsCanBeAdded } from '../quoting/tenants/tenant-rules.ts'

export interface NewHousehold extends NewQuoteInput {
  tenants: readonly TenantInput[]
  /** Products to add, from an availability check of the address. */
  broadbandProducts?: readonly string[] | undefined
  /** Whether these are all tenants of the household. */
  householdComplete?: boolean | undefined
}

/** A new household, with a link for each tenant in the order in which they join. */
export interface CreatedHousehold {
  quote: Quote
  availablePackages: Package[]
  links: OnboardingLink[]
}

/**
 * POST /Households (not in the specification): what POST /Quotes, add-tenants, add-broadband-products and a link for
 * each tenant do, in one transaction, with the same events and prices. Throws what these throw, and `validation_failed`
 * for a `returnUrl` that is not registered.
 */
export async function createHousehold(
  deps: NewQuoteDependencies &
    AddProductsDependencies &
    OnboardingLinkDependencies &
    TenantMailDependencies & { db: Database },
  caller: Caller,
  household: NewHousehold,
): Promise<CreatedHousehold> {
  const { db, cipher } = deps
  const { tenants, broadbandProducts, returnUrl, householdComplete: isComplete = false } = household
  if (returnUrl !== undefined)
    requireRegisteredReturnUrl(returnUrl, await findReturnUrls(db, caller.partnerId), deps.realm)
  requireTenantsCanBeAdded([], tenants)
  const { quote: draft, availablePackages } = await prepareQuote(deps, caller, household)
  const products =
    broadbandProducts === undefined ? undefined : await prepareProducts(deps, caller, draft, broadbandProducts)
  const { quoteId } = draft
  return inTransaction(db, caller, async (tx) => {
    await insertNewQuote(tx, cipher, caller, draft)
    const withTenants = await addNewTenants(tx, deps, caller, { quoteId, tenants, isComplete })
    const quote = products === undefined ? withTenants : (await addProducts(tx, deps, caller, quoteId, products)).quote
    const issue = ({ tenantId }: Quote['tenants'][number]) =>
      issueOnboardingLink(tx, deps, { quote, customerId: tenantId, now: caller.now })
    const links = await Promise.all(quote.tenants.map(issue))
    if (quote.sendEmails)
      await queueLinkMails(tx, deps, caller, { quote, customerIds: links.map(({ customerId }) => customerId) })
    return { quote, availablePackages, links }
  })
}
