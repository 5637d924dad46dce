import { createHash } from 'node:crypto'
import { recordContractChange } from '../events/operator-feeds/record-contract-change.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Caller } from '../partners/caller.ts'
import type { Tx } from '../platform/db/database.ts'
import { shareOf } from '../quoting/pricing/split-lines.ts'
import type { Acceptance } from '../quoting/tenants/customer.ts'
import { buildContractDocument } from './build-document.ts'
import type { ContractDependencies } from './contract-dependencies.ts'
import { insertContractDocuments } from './contract-documents.store.ts'
import { type AcceptanceEvidence, insertContract, recordAgreement } from './contracts.store.ts'
import { documentFormats } from './document-renderer.ts'
import { factsForContract } from './facts-for-contract.ts'
import type { PreparedAgreement } from './preview/prepare-agreement.ts'

/**
 * Stores a tenant's contract with its documents, which are rendered once from the agreed figures. Returns the
 * contract's number. The contract takes effect with those of the rest of the household; that of a tenant who takes over
 * a share, at once. The caller must hold the quote's lock, so that the figures cannot change.
 */
export async function agreeToContract(
  tx: Tx,
  deps: ContractDependencies,
  caller: Caller,
  agreed: { prepared: PreparedAgreement; evidence: AcceptanceEvidence },
): Promise<string> {
  const { prepared, evidence } = agreed
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
