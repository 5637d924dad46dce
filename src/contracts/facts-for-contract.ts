import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { nationOf } from '../properties/postcodes/distribution-regions.ts'
import { type Service, services } from '../quoting/packages/services.ts'
import type { Quote, QuotedAddress } from '../quoting/quotes/quote.ts'
import { type Customer, fullName } from '../quoting/tenants/customer.ts'
import type { ContractDependencies } from './contract-dependencies.ts'
import type { ContractFacts, ContractSection, ContractSections } from './contract-facts.ts'
import type { PreparedAgreement } from './preview/prepare-agreement.ts'
import { broadbandSection } from './sections/broadband-summary.ts'
import { meteredSection } from './sections/metered-terms.ts'

/** The facts of a contract that is agreed at this moment. Without a number, they are those of a draft. */
export function factsForContract(
  { operator, realm }: ContractDependencies,
  { quote, customer, price, card, plan, terms }: PreparedAgreement,
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
  }
}

/**
 * The last day on which the other tenants can accept; null if there is none to wait for, or if the lock has not begun.
 */
function lapsesAfter({ tenants, lockedUntil }: Quote, { customerId }: Pick<Customer, 'customerId'>): IsoDate | null {
  const waits = tenants.some(({ tenantId, status }) => tenantId !== customerId && status !== 'OnboardingComplete')
  return waits && lockedUntil !== null ? londonDate(lockedUntil) : null
}

/** The address as on an envelope. */
export function envelopeLines(address: QuotedAddress): string[] {
  return [address.addressLine1, address.addressLine2, address.city, address.county, address.postCode].filter(
    (line) => line !== '',
  )
}

/**
 * The document's section for each `contractSection` in the service table.
 *
 * @internal
 */
export const contractSections = {
  energy: { name: 'energy', terms: meteredSection },
  broadband: { name: 'broadband', terms: broadbandSection },
} as const satisfies Record<(typeof services)[Service]['contractSection'], ContractSection> & ContractSections
