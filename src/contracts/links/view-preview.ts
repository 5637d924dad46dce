import type { Caller } from '../../partners/caller.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import { type Queryable, withoutEffect } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { findPartnerOfCustomer } from '../../quoting/tenants/customers.store.ts'
import { buildContractDocument, factsForContract } from '../build-document.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { loadCustomerWithQuote } from '../load-quote-of-customer.ts'
import { prepareAgreement, requirePreviewable } from '../preview/prepare-agreement.ts'
import { recordOpened } from '../preview/previewed-terms.store.ts'
import type { PreviewLinks } from './contract-link.ts'

/**
 * The bytes of a preview, or why a link does not open one: it is not valid, the tenant has accepted since, or what it
 * showed has changed.
 */
export type ViewedPreview = { bytes: Buffer } | 'forbidden' | 'accepted' | 'stale'

/** Renders the preview that a link opens and records that it was opened. */
export async function viewPreview(
  deps: ContractDependencies & { databases: Databases; clock: Clock; previewLinks: PreviewLinks; readLog: ReadLog },
  input: { customerId: Id<'tenant'>; format: DocumentFormat; token: string; requestId: string; isHead: boolean },
): Promise<ViewedPreview> {
  const { customerId, format, token } = input
  if (!isId('tenant', customerId)) return 'forbidden'
  const owner = await findPartnerOfCustomer(deps.databases.system, customerId)
  if (owner === undefined) return 'forbidden'
  const { partnerId, clockOffsetSeconds, revision } = owner
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  const documentHash = await deps.previewLinks.opens(token, { customerId, format, revision, now })
  if (documentHash === undefined) return 'forbidden'
  const origin = { actor: 'link', requestId: input.requestId, operation: 'viewPreview' } as const
  const partnerDatabase = deps.databases.forPartner(partnerId, origin)
  const db = input.isHead ? withoutEffect(partnerDatabase) : partnerDatabase
  const previewable = await findPreviewable(db, deps.cipher, { partnerId, now }, customerId)
  if (typeof previewable === 'string') return previewable
  const prepared = await prepareAgreement(db, deps, { ...previewable, now })
  if (prepared.documentHash !== documentHash) return 'stale'
  const document = buildContractDocument(factsForContract(deps, prepared, { acceptedAt: now, contractNumber: null }))
  const rendered = await deps.documentRenderer.render(
    document,
    { contractId: customerId, acceptedAt: now },
    { caller: partnerId, formats: [format] },
  )
  await recordOpened(db, { partnerId, customerId }, { source: `preview-${format}`, documentHash, now })
  await deps.readLog.record(db, { subjectType: 'contract', customerId })
  return { bytes: rendered[format] }
}

/** The customer and their quote; or why they can no longer be shown a preview. */
async function findPreviewable(
  db: Queryable,
  cipher: FieldCipher,
  owner: Pick<Caller, 'partnerId' | 'now'>,
  customerId: Id<'tenant'>,
): Promise<{ customer: Customer; quote: Quote } | 'accepted' | 'stale'> {
  try {
    const found = await loadCustomerWithQuote(db, cipher, owner, customerId)
    requirePreviewable(found.quote, found.customer, owner.now)
    return found
  } catch (error) {
    if (error instanceof DomainError) return error.code === 'already_onboarded' ? 'accepted' : 'stale'
    throw error
  }
}
