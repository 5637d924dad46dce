import { createHash } from 'node:crypto'
import { recordEvent, recordEvents } from '../events/record-event.ts'
import type { Caller } from '../partners/caller.ts'
import { insertPaymentEntries } from '../payments/ledger/payment-entries.store.ts'
import type { Tx } from '../platform/db/database.ts'
import { shareOf } from '../quoting/pricing/split-lines.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { Acceptance, Customer } from '../quoting/tenants/customer.ts'
import { recordAcceptance } from '../quoting/tenants/customers.store.ts'
import { buildContractDocument, factsForContract } from './build-document.ts'
import { confirmContracts } from './confirmation/confirm-contracts.ts'
import type { Contract } from './contract.ts'
import type { ContractDependencies } from './contract-dependencies.ts'
import { insertContractDocuments } from './contract-documents.store.ts'
import {
  type AcceptanceEvidence,
  findContract,
  insertContract,
  listContractsOfQuote,
  recordAgreement,
  updateContracts,
} from './contracts.store.ts'
import { documentFormats } from './document-renderer.ts'
import { recordContractChange } from './operator-feeds/record-contract-change.ts'
import {
  type PreparedAgreement,
  type PreviewPolicy,
  prepareAgreement,
  requirePreviewedTerms,
} from './preview/prepare-agreement.ts'
import { endReplacedContract } from './termination/end-early.ts'

/** Who accepts what. */
interface AcceptedOffer {
  quote: Quote
  customer: Customer
  /** The hash of the preview that the tenant agrees to, if it was sent. */
  documentHash: string | undefined
  evidence: AcceptanceEvidence
}

/**
 * The tenant agrees to a contract. Stores it with its documents and its payment plan, and completes the customer's
 * onboarding. With the last tenant's acceptance the contracts of the household take effect together. That of a tenant
 * who takes over a share takes effect at once, and the contract of the tenant who leaves ends the day before. Contracts
 * that take effect are confirmed. Returns the contract as it is then; the caller stores the quote. The caller holds the
 * quote's row lock, so that the figures cannot change. Throws `terms_changed` and `terms_not_shown`.
 */
export async function agreeToContract(
  tx: Tx,
  deps: ContractDependencies & { previewPolicy: PreviewPolicy },
  caller: Caller,
  { quote, customer, documentHash, evidence }: AcceptedOffer,
): Promise<Contract> {
  const { partnerId, customerId } = customer
  const { now } = caller
  const prepared = await prepareAgreement(tx, deps, { quote, customer, now })
  await requirePreviewedTerms(tx, deps.cipher, prepared, { documentHash, policy: deps.previewPolicy })
  const contractNumber = await storeContract(tx, deps, caller, { prepared, evidence })
  // From here on the plan is read, never calculated again.
  const plan = prepared.plan.map(({ kind: _, ...payment }) => ({ ...payment, contractNumber, kind: 'plan' as const }))
  await insertPaymentEntries(tx, customer, plan, now)
  await completeOnboarding(tx, caller, customer, contractNumber)
  const leaverId = quote.tenants.find(({ tenantId }) => tenantId === customerId)?.replaces ?? null
  const isLast = quote.tenants.every(
    ({ tenantId, status }) => tenantId === customerId || status === 'OnboardingComplete',
  )
  if (leaverId !== null)
    await endReplacedContract(tx, deps, caller, { leaverId, from: prepared.price.contractStartDate })
  else if (isLast) await activateContracts(tx, caller, quote)
  await confirmContracts(tx, deps, caller, quote)
  const contract = await findContract(tx, partnerId, contractNumber)
  if (contract === undefined) throw new Error('the contract is not stored')
  return contract
}

/** Stores the contract with its documents, which are rendered once from the agreed figures. Returns its number. */
async function storeContract(
  tx: Tx,
  deps: ContractDependencies,
  caller: Caller,
  { prepared, evidence }: { prepared: PreparedAgreement; evidence: AcceptanceEvidence },
): Promise<string> {
  const { quote, customer, price, agreement, documentHash } = prepared
  const { partnerId, customerId } = customer
  const { quoteId } = quote
  const { now } = caller
  const inForce = quote.takingOver !== undefined
  const status = inForce ? 'in_force' : 'agreed'
  const contract = { partnerId, quoteId, customerId, status, agreedAt: now } as const
  const term = { startsOn: price.contractStartDate, endsOn: price.contractEndDate }
  const shown = { partnerId, newContractOf: customerId, change: status } as const
  const contractNumber = await recordContractChange(tx, shown, async (recorded) => {
    const number = await insertContract(tx, recorded, { ...contract, ...term, effectiveAt: inForce ? now : null })
    const acceptance = await createDocuments(tx, deps, { contractNumber: number, prepared, acceptedAt: now })
    const shares = [shareOf(price, customerId)]
    const agreed = { acceptance, evidence, agreement, documentHash, price: { ...price, shares } }
    await recordAgreement(tx, recorded, deps.cipher, { partnerId, contractNumber: number }, agreed)
    return number
  })
  await recordEvent(tx, caller, {
    type: 'customer.contract.changed',
    data: { customerId, quoteId, contractNumber, previousStatus: null, status, reason: null },
  })
  return contractNumber
}

/** Renders both documents and stores them with their hashes. Returns the values to record with the acceptance. */
async function createDocuments(
  tx: Tx,
  deps: ContractDependencies,
  agreed: { contractNumber: string; prepared: PreparedAgreement; acceptedAt: Date },
): Promise<Acceptance> {
  const { contractNumber, prepared, acceptedAt } = agreed
  const { agreement, customer, lastPreview } = prepared
  const { customerId, partnerId } = customer
  const document = buildContractDocument(factsForContract(deps, prepared, { acceptedAt, contractNumber }))
  const { html, pdf } = await deps.documentRenderer.render(
    document,
    { contractId: contractNumber, acceptedAt },
    { caller: partnerId, formats: documentFormats },
  )
  const hashed = { html: { bytes: html, sha256: sha256(html) }, pdf: { bytes: pdf, sha256: sha256(pdf) } }
  await insertContractDocuments(tx, deps.cipher, { contractNumber, customerId, partnerId, ...hashed, now: acceptedAt })
  return {
    termsVersion: agreement.terms.version,
    htmlSha256: hashed.html.sha256,
    pdfSha256: hashed.pdf.sha256,
    totalCost: agreement.own.totalCost,
    monthlyCost: agreement.own.monthlyCost,
    shown:
      lastPreview === undefined
        ? null
        : {
            source: lastPreview.source,
            documentHash: lastPreview.documentHash,
            shownAt: lastPreview.firstShownAt.toISOString(),
            openedAt: lastPreview.openedAt?.toISOString() ?? null,
          },
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function completeOnboarding(tx: Tx, caller: Caller, customer: Customer, contractNumber: string): Promise<void> {
  const { customerId, quoteId, status: previousStatus } = customer
  await recordAcceptance(tx, customer, { at: caller.now, contractNumber })
  await recordEvent(tx, caller, {
    type: 'customer.status.changed',
    data: { customerId, quoteId, previousStatus, status: 'OnboardingComplete', reason: null },
  })
}

/** Puts all of a household's agreed contracts in force together. */
async function activateContracts(tx: Tx, { now, partnerId }: Caller, quote: Quote): Promise<void> {
  const agreed = await listContractsOfQuote(tx, quote, 'agreed')
  const contractNumbers = agreed.map(({ contractNumber }) => contractNumber)
  const status = 'in_force'
  await recordContractChange(tx, { partnerId, contractNumbers, change: status }, (recorded) =>
    updateContracts(tx, recorded, partnerId, contractNumbers, { status, now, effectiveAt: now }),
  )
  await recordEvents(
    tx,
    quote,
    agreed.map(({ customerId, quoteId, contractNumber }) => ({
      type: 'customer.contract.changed',
      data: { customerId, quoteId, contractNumber, previousStatus: 'agreed', status, reason: null },
    })),
  )
}
