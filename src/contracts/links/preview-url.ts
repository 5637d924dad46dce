import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import { findLinksRevision } from '../contract-documents.store.ts'
import type { DocumentFormat } from '../document-format.ts'
import { loadQuoteOfCustomer } from '../load-quote.ts'
import { prepareAgreement } from '../preview/prepare-agreement.ts'
import { requirePreviewable } from '../preview/previewable.ts'
import { recordShown } from '../preview/previewed-terms.store.ts'
import { type ContractUrlPolicy, linkExpiry } from './link-policy.ts'
import type { PreviewLinks } from './preview-link.ts'

export interface PreviewUrl {
  customerId: Id<'tenant'>
  previewUrl: string
  expiresAt: Date
  documentHash: string
}

/**
 * GET /Customers/{id}/pci-preview-url-html and -pdf (not in the specification): a temporary URL of the contract as the
 * tenant would agree to it now, marked as a draft. It works without other credentials, and only while nothing of what
 * it shows changes. Records that it was shown, unless only the headers were asked for. Throws
 * `personal_information_required`, `packages_required`, `quote_expired`,
 * `already_onboarded`, `customer_erased` and `customer_removed`.
 */
export async function previewUrl(
  deps: ContractDependencies & { db: Database; previewLinks: PreviewLinks; contractUrlPolicy: ContractUrlPolicy },
  caller: Caller,
  input: { customerId: Id<'tenant'>; format: DocumentFormat; isHead: boolean },
): Promise<PreviewUrl> {
  const { customerId, format } = input
  const [customer, quote] = await Promise.all([
    loadCustomer(deps.db, deps.cipher, caller, customerId),
    loadQuoteOfCustomer(deps.db, deps.cipher, caller, customerId),
  ])
  requirePreviewable(quote, customer, caller.now)
  const { agreement, documentHash } = await prepareAgreement(deps.db, deps, { quote, customer, now: caller.now })
  if (!input.isHead) {
    const shown = { source: `preview-${format}`, content: agreement, now: caller.now } as const
    await recordShown(deps.db, deps.cipher, customer, shown)
  }
  const { publicUrl, lifetimeSeconds } = deps.contractUrlPolicy
  const expiresAt = linkExpiry(caller.now, lifetimeSeconds)
  const token = await deps.previewLinks.sign({
    ...{ customerId, format, documentHash, expiresAt },
    revision: await findLinksRevision(deps.db, customer),
  })
  const path = `/previews/${customerId}/pre-contract-information.${format}`
  return { customerId, previewUrl: `${publicUrl}${path}?token=${token}`, expiresAt, documentHash }
}
