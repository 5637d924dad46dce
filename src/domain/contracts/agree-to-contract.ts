import { createHash } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import { nationOf } from '../addresses/postcodes/nation-of.ts'
import type { Caller } from '../auth/caller.ts'
import { type Acceptance, type Customer, fullName } from '../customers/customer.ts'
import { recordEvent } from '../events/record-event.ts'
import { services } from '../packages/services.ts'
import { planForCustomer } from '../payments/plan/plan-for-customer.ts'
import type { QuotePrice } from '../pricing/price.ts'
import { shareOf } from '../pricing/share-of.ts'
import type { Quote, QuotedAddress } from '../quotes/quote.ts'
import type { RateCardCatalogue } from '../rates/card-catalogue.ts'
import { buildContractDocument } from './build-document.ts'
import { insertContractDocuments } from './contract-documents.store.ts'
import type { ContractFacts } from './contract-facts.ts'
import { contractSections } from './contract-sections.ts'
import { type AcceptanceEvidence, insertContract, recordAgreement } from './contracts.store.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { OperatorFile } from './operator.ts'

export interface ContractDependencies {
  cipher: FieldCipher
  cards: RateCardCatalogue
  bankHolidays: BankHolidays
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  realm: 'sandbox' | 'live'
}

/**
 * Stores a tenant's contract with its documents, which are rendered once from the agreed figures. Returns the contract's number. The
 * contract takes effect with those of the rest of the household; only where locks have no end, it takes effect at once. The caller must
 * hold the quote's lock, so that the figures cannot change.
 */
export async function agreeToContract(
  tx: Tx,
  deps: ContractDependencies,
  caller: Caller,
  agreed: { quote: Quote; customer: Customer; evidence: AcceptanceEvidence },
): Promise<string> {
  const { quote, customer, evidence } = agreed
  const { partnerId, customerId } = customer
  const { quoteId, reference, price } = quote
  const { now } = caller
  if (price === null) throw new Error('the quote has packages but no price')
  const inForce = quote.lockedUntil === null
  const status = inForce ? 'in_force' : 'agreed'
  const contract = { partnerId, quoteId, customerId, status, agreedAt: now } as const
  const term = { startsOn: price.contractStartDate, endsOn: price.contractEndDate }
  const contractNumber = await insertContract(tx, { ...contract, ...term, effectiveAt: inForce ? now : null })
  const acceptance = await createDocuments(tx, deps, { contractNumber, quote, price, customer, acceptedAt: now })
  const own = { ...price, shares: [shareOf(price, customerId)] }
  await recordAgreement(tx, deps.cipher, { partnerId, contractNumber }, { acceptance, evidence, price: own })
  await recordEvent(tx, caller, {
    type: 'customer.contract.changed',
    data: { customerId, quoteId, reference, contractNumber, previousStatus: null, status, reason: null },
  })
  return contractNumber
}

/** Renders both documents and stores them with their hashes. Returns the values to record with the acceptance. */
async function createDocuments(
  tx: Tx,
  deps: ContractDependencies,
  agreed: { contractNumber: string; quote: Quote; price: QuotePrice; customer: Customer; acceptedAt: Date },
): Promise<Acceptance> {
  const { contractNumber, quote, price, customer, acceptedAt } = agreed
  const card = await deps.cards.load(tx, price.quotingToolVersionId)
  const facts: ContractFacts = {
    customerId: customer.customerId,
    quoteId: quote.quoteId,
    tenant: { name: fullName(customer.personal), email: customer.personal.email },
    property: {
      addressLines: envelopeLines(quote.address),
      nation: nationOf(quote.address.country),
      mpan: quote.address.mpan,
      mprn: quote.address.mprn,
    },
    price,
    rateCard: card,
    payments: planForCustomer(
      quote,
      price,
      { customerId: customer.customerId, termsAcceptedAt: acceptedAt },
      {
        today: londonDate(acceptedAt),
        bankHolidays: deps.bankHolidays,
      },
    ),
    broadbandProducts: quote.broadbandProducts,
    supplyDuringCancellation: customer.supplyDuringCancellation,
    acceptedAt,
    operator: deps.operator,
    services,
    sections: contractSections,
    environment: deps.realm,
  }
  const { html, pdf } = await deps.documentRenderer.render(buildContractDocument(facts), {
    contractId: customer.customerId,
    acceptedAt,
  })
  const hashed = { html: { bytes: html, sha256: sha256(html) }, pdf: { bytes: pdf, sha256: sha256(pdf) } }
  await insertContractDocuments(tx, deps.cipher, {
    contractNumber,
    customerId: customer.customerId,
    partnerId: customer.partnerId,
    ...hashed,
    now: acceptedAt,
  })
  const share = shareOf(price, customer.customerId)
  return {
    termsVersion: deps.operator.terms.version,
    htmlSha256: hashed.html.sha256,
    pdfSha256: hashed.pdf.sha256,
    totalCost: share.totalCost,
    monthlyCost: share.monthlyCost,
  }
}

function envelopeLines(address: QuotedAddress): string[] {
  return [address.addressLine1, address.addressLine2, address.city, address.county, address.postCode].filter(
    (line) => line !== '',
  )
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
