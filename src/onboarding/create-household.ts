import { type AddProductsDependencies, addProducts, prepareProducts } from '../broadband/add-products.ts'
import {
  issueOnboardingLink,
  type OnboardingLink,
  type OnboardingLinkDependencies,
  signOnboardingLink,
} from '../contracts/links/issue-onboarding-link.ts'
import { queueLinkMails } from '../contracts/mails/link-mail.ts'
import type { TenantMailDependencies } from '../contracts/mails/queue-mails.ts'
import type { Caller } from '../partners/caller.ts'
import { requireRegisteredReturnUrl } from '../partners/partner-settings.schema.ts'
import { findReturnUrls } from '../partners/partner-settings.store.ts'
import { type Database, inTransaction, type Tx, withoutEffect } from '../platform/db/database.ts'
import { invalidFields } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Package } from '../quoting/packages/package.ts'
import {
  insertNewQuote,
  type NewQuoteDependencies,
  type NewQuoteInput,
  prepareQuote,
} from '../quoting/quotes/new-quote.ts'
import type { SimilarQuote } from '../quoting/quotes/overlaps/overlap.ts'
import { listSimilarQuotes } from '../quoting/quotes/overlaps/overlaps.store.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { findOverlapsOfQuote, findQuoteWithReference } from '../quoting/quotes/quotes.store.ts'
import { offeredPackages } from '../quoting/rates/card-catalogue.ts'
import { findOnboardingRevision } from '../quoting/tenants/link-revisions.store.ts'
import { addNewTenants } from '../quoting/tenants/new-tenants.ts'
import type { TenantInput } from '../quoting/tenants/personal-details.schema.ts'
import { requireTenantsCanBeAdded } from '../quoting/tenants/tenant-rules.ts'

export interface NewHousehold extends NewQuoteInput {
  tenants: readonly TenantInput[]
  /** Products to add, from an availability check of the address. */
  broadbandProducts?: readonly string[] | undefined
  /** Whether these are all tenants of the household. */
  householdComplete?: boolean | undefined
  /** What to do if a quote with the same reference exists that is not cancelled; undefined to create another one. */
  onDuplicateReference?: 'reject' | 'return' | undefined
  /** Whether to check and price only: nothing is stored, nobody is written to and no outside system is asked. */
  dryRun?: boolean
}

/** A new household, with a link for each tenant in the order in which they join. */
export interface CreatedHousehold {
  quote: Quote
  availablePackages: Package[]
  links: OnboardingLink[]
  /** Quotes that may be of the same household. */
  similar: SimilarQuote[]
}

/**
 * POST /Households (not in the specification): what POST /Quotes, add-tenants, add-broadband-products and a link for
 * each tenant do, in one transaction, with the same events and prices. Throws what these throw, `validation_failed` for a
 * `returnUrl` that is not registered, and `duplicate_reference`.
 */
export async function createHousehold(
  deps: Dependencies,
  caller: Caller,
  household: NewHousehold,
): Promise<CreatedHousehold> {
  if (household.dryRun !== true) return create(deps, caller, household)
  const { responseRecorder: _, ...withoutRecorder } = caller
  const created = await create(withoutOutside(deps), withoutRecorder, household)
  // A dry run with an Idempotency-Key is answered again like any other request.
  return inTransaction(deps.db, caller, async () => created)
}

type Dependencies = NewQuoteDependencies &
  AddProductsDependencies &
  OnboardingLinkDependencies &
  TenantMailDependencies & { db: Database }

/** The same without effect, and without asking a supplier of addresses or broadband anything. */
function withoutOutside(deps: Dependencies): Dependencies {
  const { addresses, homeTelecom, db } = deps
  return {
    ...deps,
    db: withoutEffect(db),
    addresses: { ...addresses, findByUid: (uid) => addresses.findByUid(uid, { isStored: true }) },
    homeTelecom: { ...homeTelecom, listInstallDates: async () => [] },
    simulatedUpstreams: undefined,
  }
}

async function create(deps: Dependencies, caller: Caller, household: NewHousehold): Promise<CreatedHousehold> {
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
    const earlier = await findDuplicate(tx, deps, caller, household)
    if (earlier !== undefined) return returnEarlier(tx, deps, caller, earlier)
    await insertNewQuote(tx, cipher, caller, draft)
    const withTenants = await addNewTenants(tx, deps, caller, { quoteId, tenants, isComplete })
    const quote = products === undefined ? withTenants : (await addProducts(tx, deps, caller, quoteId, products)).quote
    const issue = ({ tenantId }: Quote['tenants'][number]) =>
      issueOnboardingLink(tx, deps, { quote, customerId: tenantId, now: caller.now })
    const [similar, overlappingQuoteIds, ...links] = await Promise.all([
      listSimilarQuotes(tx, cipher, quote),
      findOverlapsOfQuote(tx, quote, caller.now),
      ...quote.tenants.map(issue),
    ])
    if (quote.sendEmails)
      await queueLinkMails(tx, deps, caller, {
        quote,
        customerIds: quote.tenants.flatMap(({ tenantId }, at) => (tenants[at]?.link === 'returned' ? [] : [tenantId])),
      })
    return { quote: { ...quote, overlappingQuoteIds }, availablePackages, links, similar }
  })
}

/** The quote with the same reference, if it matters. Two requests with one reference at once wait for each other. */
async function findDuplicate(
  tx: Tx,
  { cipher }: Dependencies,
  { partnerId }: Caller,
  { reference, onDuplicateReference }: NewHousehold,
): Promise<Id<'quote'> | undefined> {
  if (reference === undefined || onDuplicateReference === undefined) return undefined
  const quoteId = await findQuoteWithReference(tx, cipher, partnerId, reference)
  if (quoteId === undefined || onDuplicateReference === 'return') return quoteId
  const detail = `Your quote ${quoteId} has this reference. Send another one, or onDuplicateReference: return to get that quote.`
  throw invalidFields([{ pointer: '/reference', code: 'duplicate_reference', detail }], 'duplicate_reference')
}

/** The household that exists, with links that work beside those that its tenants have. */
async function returnEarlier(
  tx: Tx,
  deps: Dependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
): Promise<CreatedHousehold> {
  const quote = await deps.loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
  const links: OnboardingLink[] = []
  for (const { tenantId: customerId } of quote.tenants) {
    const revision = await findOnboardingRevision(tx, { partnerId: caller.partnerId, customerId })
    links.push(await signOnboardingLink(deps, { quote, customerId, now: caller.now }, revision))
  }
  const card = await deps.cards.load(tx, quote.quotingToolVersionId)
  return { quote, availablePackages: offeredPackages(card, quote), links, similar: [] }
}
