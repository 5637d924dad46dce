import { createHash } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import { nationOf } from '../addresses/postcodes/nation-of.ts'
import { type Acceptance, type Customer, fullName } from '../customers/customer.ts'
import { services } from '../packages/services.ts'
import { planForCustomer } from '../payments/plan/plan-for-customer.ts'
import type { QuotePrice } from '../pricing/price.ts'
import { shareOf } from '../pricing/share-of.ts'
import type { Quote, QuotedAddress } from '../quotes/quote.ts'
import type { RateCardCatalogue } from '../rates/card-catalogue.ts'
import { buildContractDocument } from './build-document.ts'
import type { ContractFacts } from './contract-facts.ts'
import { contractSections } from './contract-sections.ts'
import { insertContractDocuments } from './contracts.store.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { OperatorFile } from './operator.ts'
import type { AgreedTerms } from './terms/agreed-terms.ts'

export interface ContractDocumentDependencies {
  cipher: FieldCipher
  cards: RateCardCatalogue
  bankHolidays: BankHolidays
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  /** The current version of the terms, as stored. */
  terms: AgreedTerms
  realm: 'sandbox' | 'live'
}

/**
 * Renders the tenant's documents once from the agreed figures and stores them with their hashes. Returns the values to record
 * with the acceptance. The caller must hold the quote's lock, so that the figures cannot change.
 */
export async function createContractDocuments(
  tx: Tx,
  deps: ContractDocumentDependencies,
  agreed: { quote: Quote; price: QuotePrice; customer: Customer; acceptedAt: Date },
): Promise<Acceptance> {
  const { quote, price, customer, acceptedAt } = agreed
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
    terms: deps.terms,
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
    customerId: customer.customerId,
    partnerId: customer.partnerId,
    ...hashed,
    now: acceptedAt,
  })
  const share = shareOf(price, customer.customerId)
  return {
    termsVersion: deps.terms.version,
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
