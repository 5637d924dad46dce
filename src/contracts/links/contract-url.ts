import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { findLinksRevision, revokeLinksOf } from '../../quoting/tenants/link-revisions.store.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import type { ContractDependencies } from '../contract-dependencies.ts'
import { listContracts } from '../contracts.store.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { loadCustomerWithQuote } from '../load-quote-of-customer.ts'
import { prepareAgreement, requirePreviewable } from '../preview/prepare-agreement.ts'
import { recordPreview } from '../preview/previewed-terms.store.ts'
import type { ContractLinks, PreviewLinks } from './contract-link.ts'
import { type ContractUrlPolicy, linkExpiry } from './link-token.ts'

interface ContractUrl {
  customerId: Id<'tenant'>
  contractNumber: string
  contractUrl: string
  /** A page that shows the present state of the contract around the document. */
  pageUrl: string
  expiresAt: Date
}

/**
 * Spec: GET /Customers/{id}/pci-contract-url-html and -pdf. Returns a temporary URL that opens this one document
 * without other credentials: by default of the contract that the customer has accepted, otherwise of the contract with
 * the given number, whatever became of it. Throws `onboarding_incomplete` and `validation_failed`.
 */
export async function contractUrl(
  deps: { db: Database; cipher: FieldCipher; contractLinks: ContractLinks; contractUrlPolicy: ContractUrlPolicy },
  caller: Caller,
  input: { customerId: Id<'tenant'>; contractNumber: string | undefined; format: DocumentFormat },
): Promise<ContractUrl> {
  const { customerId, format } = input
  const customer = await loadCustomer(deps.db, deps.cipher, caller, customerId)
  const contractNumber =
    input.contractNumber === undefined
      ? acceptedContract(customer)
      : await requireContractOf(deps.db, customer, input.contractNumber)
  const { publicUrl, lifetimeSeconds } = deps.contractUrlPolicy
  const expiresAt = linkExpiry(caller.now, lifetimeSeconds)
  const revision = await findLinksRevision(deps.db, customer)
  const sign = (of: DocumentFormat) =>
    deps.contractLinks.sign({ customerId, contractNumber, format: of, revision, expiresAt })
  const base = `${publicUrl}/contracts/${customerId}`
  return {
    ...{ customerId, contractNumber, expiresAt },
    contractUrl: `${base}/pre-contract-information.${format}?token=${await sign(format)}`,
    pageUrl: `${base}?token=${await sign('html')}`,
  }
}

function acceptedContract({ status, contractNumber }: Customer): string {
  if (status === 'OnboardingComplete' && contractNumber !== null) return contractNumber
  if (contractNumber !== null) {
    throw new DomainError(
      'onboarding_incomplete',
      `The customer has no contract at present. The documents of their earlier contracts stay readable: send a contractNumber from GET /Customers/{id}/contracts, such as ?contractNumber=${contractNumber}.`,
    )
  }
  throw new DomainError(
    'onboarding_incomplete',
    'The contract documents are created when the customer accepts the terms. First call POST /Customers/{id}/accept-terms.',
  )
}

async function requireContractOf(db: Database, customer: Customer, contractNumber: string): Promise<string> {
  const contracts = await listContracts(db, customer.partnerId, customer.customerId)
  if (contracts.some((each) => each.contractNumber === contractNumber)) return contractNumber
  const detail =
    'The customer has no contract with this number. Use a contractNumber from GET /Customers/{id}/contracts, or leave it out.'
  throw invalidFields([{ pointer: '/query/contractNumber', code: 'not_allowed', detail }])
}

interface PreviewUrl {
  customerId: Id<'tenant'>
  previewUrl: string
  expiresAt: Date
  documentHash: string
}

/**
 * GET /Customers/{id}/pci-preview-url-html and -pdf (not in the specification): a temporary URL of the contract as the
 * tenant would agree to it now, marked as a draft. It works without other credentials, and only while nothing of what
 * it shows changes. Records that it was shown. Throws `personal_information_required`, `packages_required`,
 * `quote_expired`, `already_onboarded`, `customer_erased` and `customer_removed`.
 */
export async function previewUrl(
  deps: ContractDependencies & { db: Database; previewLinks: PreviewLinks; contractUrlPolicy: ContractUrlPolicy },
  caller: Caller,
  input: { customerId: Id<'tenant'>; format: DocumentFormat },
): Promise<PreviewUrl> {
  const { customerId, format } = input
  const { customer, quote } = await loadCustomerWithQuote(deps.db, deps.cipher, caller, customerId)
  requirePreviewable(quote, customer, caller.now)
  const { agreement, documentHash } = await prepareAgreement(deps.db, deps, { quote, customer, now: caller.now })
  const shown = { source: `preview-${format}`, content: agreement, now: caller.now } as const
  await recordPreview(deps.db, deps.cipher, customer, shown)
  const { publicUrl, lifetimeSeconds } = deps.contractUrlPolicy
  const expiresAt = linkExpiry(caller.now, lifetimeSeconds)
  const token = await deps.previewLinks.sign({
    ...{ customerId, format, documentHash, expiresAt },
    revision: await findLinksRevision(deps.db, customer),
  })
  const path = `/previews/${customerId}/pre-contract-information.${format}`
  return { customerId, previewUrl: `${publicUrl}${path}?token=${token}`, expiresAt, documentHash }
}

/**
 * POST /Customers/{id}/revoke-links (not in the specification): from now on, no link that was made before opens a
 * document or a preview of this customer. New links work.
 */
export function revokeLinks(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; revokedAt: Date }> {
  return inTransaction(db, caller, async (tx) => {
    await loadCustomer(tx, cipher, caller, customerId)
    await revokeLinksOf(tx, caller.partnerId, customerId)
    return { customerId, revokedAt: caller.now }
  })
}
