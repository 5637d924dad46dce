import { nationOf } from '../addresses/postcodes/nation-of.ts'
import { fullName } from '../customers/customer.ts'
import { services } from '../packages/services.ts'
import type { QuotedAddress } from '../quotes/quote.ts'
import type { ContractDependencies } from './agree-to-contract.ts'
import type { ContractFacts } from './contract-facts.ts'
import { contractSections } from './contract-sections.ts'
import type { PreparedAgreement } from './shown/prepare-agreement.ts'

/** The facts of a contract that is agreed at this moment or, for a draft, would be. */
export function factsForContract(
  { operator, realm }: ContractDependencies,
  { quote, customer, price, card, plan }: PreparedAgreement,
  acceptedAt: Date,
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
    supplyDuringCancellation: customer.supplyDuringCancellation,
    acceptedAt,
    operator,
    services,
    sections: contractSections,
    environment: realm,
  }
}

function envelopeLines(address: QuotedAddress): string[] {
  return [address.addressLine1, address.addressLine2, address.city, address.county, address.postCode].filter(
    (line) => line !== '',
  )
}
