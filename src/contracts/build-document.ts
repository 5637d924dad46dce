import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { momentInWords } from '../platform/kernel/in-words.ts'
import { nationOf } from '../properties/postcodes/distribution-regions.ts'
import { type Service, services } from '../quoting/packages/services.ts'
import { envelopeLines, type Quote } from '../quoting/quotes/quote.ts'
import { type Customer, fullName } from '../quoting/tenants/customer.ts'
import { boughtSectionKeys, sectionOf } from './bought-services.ts'
import type { ContractDependencies } from './contract-dependencies.ts'
import type { ContractFacts, ContractSection, ContractSections } from './contract-facts.ts'
import type { ContractDocument, Section } from './document.ts'
import { tenantPagesAddress } from './links/issue-onboarding-link.ts'
import { privacyAddress } from './operator-file.ts'
import type { PreparedAgreement } from './preview/prepare-agreement.ts'
import { printable } from './printable.ts'
import { broadbandSection } from './sections/broadband-summary.ts'
import { cancellationFormSection, cancellationSection, complaintsSection } from './sections/cancellation.ts'
import { keyFacts } from './sections/key-facts.ts'
import { meteredSection } from './sections/metered-terms.ts'
import { paymentsSection } from './sections/payments.ts'
import {
  documentReference,
  durationSection,
  isDraft,
  partiesSection,
  purchaseSection,
  serviceSection,
  termsSection,
} from './sections/pre-contract-information.ts'
import { pricesSection } from './sections/prices.ts'

/**
 * Builds the document a tenant receives on accepting the terms (docs/api-behaviour.md#contract-documents): the
 * pre-contract information of Schedule 2 to the Consumer Contracts (Information, Cancellation and Additional Charges)
 * Regulations 2013, the energy principal terms, the broadband contract summary, prices, payments and cancellation.
 * Pure: the same facts give the same document. Throws if the facts contradict each other, for example if the price has
 * no share for this tenant or was calculated from another rate card.
 */
export function buildContractDocument(facts: ContractFacts): ContractDocument {
  return {
    personal: [facts.tenant.name, facts.tenant.email].map(printable),
    issuer: printable(facts.operator.trader.name),
    reference: documentReference(facts),
    title: 'Pre-contract information for your household bills',
    mark: markOf(facts),
    introduction: [
      isDraft(facts)
        ? 'This is a draft of your contract, with the information that the law requires us to give you. Read it before you accept. You have not agreed to anything yet.'
        : `This is the information that the law requires us to give you about your contract, and what you agreed to on ${momentInWords(facts.acceptedAt)}. Please keep it.`,
    ],
    keyFacts: { heading: 'At a glance', facts: keyFacts(facts) },
    contentsHeading: 'In this document',
    sections: numbered([
      partiesSection(facts),
      purchaseSection(facts),
      pricesSection(facts),
      paymentsSection(facts),
      durationSection(facts),
      ...serviceSections(facts),
      cancellationSection(facts),
      cancellationFormSection(facts),
      complaintsSection(facts),
      serviceSection(facts),
      termsSection(facts),
    ]),
  }
}

function markOf(facts: ContractFacts): string | null {
  const isSample = facts.environment === 'sandbox' || facts.operator.sample === true
  if (isDraft(facts)) return isSample ? 'DRAFT – not a contract. Sandbox sample' : 'DRAFT – not a contract'
  return isSample ? 'Sandbox sample, not a contract' : null
}

function serviceSections(facts: ContractFacts): Section[] {
  return boughtSectionKeys(facts).map((key) => {
    const { name, terms } = sectionOf(facts, key)
    return terms(facts, key, name)
  })
}

function numbered(sections: readonly Section[]): Section[] {
  return sections.map((section, index) => ({ ...section, heading: `${index + 1}. ${section.heading}` }))
}

/** The facts of a contract that is agreed at this moment. Without a number, they are those of a draft. */
export function factsForContract(
  { operator, realm, contractUrlPolicy }: ContractDependencies,
  { quote, customer, price, card, plan, terms, agreement }: PreparedAgreement,
  { acceptedAt, contractNumber }: { acceptedAt: Date; contractNumber: string | null },
): ContractFacts {
  return {
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
    termInWords: agreement.termInWords,
    rateCard: card,
    payments: plan,
    broadbandProducts: quote.broadbandProducts,
    earlySupplyRequested: customer.earlySupplyRequested,
    acceptedAt,
    agreement: {
      draft: contractNumber === null,
      lapsesAfter: lapsesAfter(quote, customer),
      takesOver: quote.takingOver !== undefined,
      contractNumber,
    },
    operator,
    terms,
    services,
    sections: contractSections,
    environment: realm,
    pagesAddress: tenantPagesAddress(contractUrlPolicy.publicUrl),
    privacyAddress: privacyAddress(contractUrlPolicy.publicUrl),
  }
}

/**
 * The last day on which the other tenants can accept; null if there is none to wait for, or if the lock has not begun.
 */
function lapsesAfter({ tenants, lockedUntil }: Quote, { customerId }: Pick<Customer, 'customerId'>): IsoDate | null {
  const waits = tenants.some(({ tenantId, status }) => tenantId !== customerId && status !== 'OnboardingComplete')
  return waits && lockedUntil !== null ? londonDate(lockedUntil) : null
}

/**
 * The document's section for each `contractSection` in the service table.
 *
 * @internal A test adds a service to it.
 */
export const contractSections = {
  energy: { name: 'energy', terms: meteredSection },
  broadband: { name: 'broadband', terms: broadbandSection },
} as const satisfies Record<(typeof services)[Service]['contractSection'], ContractSection> & ContractSections
