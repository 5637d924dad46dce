import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { endOnboardingLinksOf } from '../../quoting/tenants/link-revisions.store.ts'
import { loadCustomer, requireNotErased, requireNotRemoved } from '../../quoting/tenants/load-customer.ts'
import { loadCustomerWithQuoteForUpdate } from '../load-quote-of-customer.ts'
import { queueLinkMails } from '../mails/link-mail.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { kindsThat } from '../mails/tenant-mail-kinds.ts'
import { endPendingMails } from '../mails/tenant-mails.store.ts'
import { issueOnboardingLink, type OnboardingLink, type OnboardingLinkDependencies } from './issue-onboarding-link.ts'

/**
 * POST /Customers/{id}/onboarding-links (not in the specification): a link to the tenant's pages. Earlier links and the
 * sessions that they began end. If the partner has us write to its tenants, the tenant is sent one too. Throws
 * `quote_cancelled`, `contract_not_in_force`, `customer_erased` and
 * `customer_removed`.
 */
export function createOnboardingLink(
  deps: OnboardingLinkDependencies & TenantMailDependencies & { db: Database },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<OnboardingLink> {
  return inTransaction(deps.db, caller, async (tx) => {
    const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, deps.cipher, caller, customerId)
    requireNotErased(customer)
    requireNotRemoved(customer)
    const link = await issueOnboardingLink(tx, deps, { quote, customerId, now: caller.now })
    if (quote.sendEmails) await queueLinkMails(tx, deps, caller, { quote, customerIds: [customerId] })
    return link
  })
}

/**
 * POST /Customers/{id}/onboarding-links/revoke (not in the specification): the links to the tenant's pages, and the
 * sessions that they began, end, and e-mails that were to bring one are not sent. New links work.
 */
export function revokeOnboardingLinks(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; revokedAt: Date }> {
  return inTransaction(db, caller, async (tx) => {
    await loadCustomer(tx, cipher, caller, customerId)
    await endOnboardingLinksOf(tx, { partnerId: caller.partnerId, customerId })
    await endPendingMails(tx, caller, customerId, kindsThat('isLink'))
    return { customerId, revokedAt: caller.now }
  })
}
