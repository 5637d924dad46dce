import type { Databases } from '../../../db/databases.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { type Id, isId } from '../../../kernel/ids.ts'
import { findCustomer } from '../../customers/customers.store.ts'
import { asOf } from '../../quotes/quote.ts'
import { findQuoteOfCustomer } from '../../quotes/quotes.store.ts'
import { buildContractDocument } from '../build-document.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import { findPartnerOfCustomer } from '../contract-documents.store.ts'
import type { DocumentFormat } from '../document-format.ts'
import { factsForContract } from '../facts-for-contract.ts'
import { prepareAgreement } from '../shown/prepare-agreement.ts'
import { requirePreviewable } from '../shown/previewable.ts'
import { recordOpened } from '../shown/shown-terms.store.ts'
import type { PreviewLinks } from './preview-link.ts'

/** The bytes of a preview, or why a link does not open one: it is not valid, or what it showed has changed since. */
export type ViewedPreview = { bytes: Buffer } | 'forbidden' | 'stale'

/** Renders the preview that a link opens and records that it was opened, unless only the headers were asked for. */
export async function viewPreview(
  deps: ContractDependencies & { databases: Databases; clock: Clock; previewLinks: PreviewLinks },
  input: { customerId: Id<'tenant'>; format: DocumentFormat; token: string; isHead: boolean },
): Promise<ViewedPreview> {
  const { customerId, format, token } = input
  if (!isId('tenant', customerId)) return 'forbidden'
  const owner = await findPartnerOfCustomer(deps.databases.system, customerId)
  if (owner === undefined) return 'forbidden'
  const { partnerId, clockOffsetSeconds } = owner
  const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
  const documentHash = await deps.previewLinks.opens(token, { customerId, format, now })
  if (documentHash === undefined) return 'forbidden'
  const db = deps.databases.forPartner(partnerId)
  const [customer, stored] = await Promise.all([
    findCustomer(db, deps.cipher, { partnerId, now }, customerId),
    findQuoteOfCustomer(db, deps.cipher, { partnerId, now }, customerId),
  ])
  if (customer === undefined || stored === undefined) return 'stale'
  const quote = asOf(stored, now)
  try {
    requirePreviewable(quote, customer, now)
  } catch (error) {
    if (error instanceof DomainError) return 'stale'
    throw error
  }
  const prepared = await prepareAgreement(db, deps, { quote, customer, now })
  if (prepared.documentHash !== documentHash) return 'stale'
  const document = buildContractDocument(factsForContract(deps, prepared, { acceptedAt: now, contractNumber: null }))
  const rendered = await deps.documentRenderer.render(document, { contractId: customerId, acceptedAt: now })
  if (!input.isHead)
    await recordOpened(db, { partnerId, customerId }, { source: `preview-${format}`, documentHash, now })
  return { bytes: rendered[format] }
}
