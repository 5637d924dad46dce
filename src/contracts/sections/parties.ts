import type { ContractFacts } from '../contract-facts.ts'
import type { Detail, Section } from '../document.ts'
import { contractNumber } from './agreement.ts'
import { detail, emailDetail, heading, headingWithText, onOneLine, phoneDetail, websiteDetail } from './blocks.ts'

/** The parties, and whom the trader acts for: Schedule 2 (b), (c), (d) and (i). */
export function partiesSection(facts: ContractFacts): Section {
  return {
    id: 'who',
    heading: 'Who the contract is with',
    blocks: [
      heading('You'),
      { kind: 'details', items: tenantDetails(facts) },
      heading('Us'),
      { kind: 'details', items: traderDetails(facts) },
      ...headingWithText('Who we act for', facts.operator.trader.role),
    ],
  }
}

function tenantDetails(facts: ContractFacts): Detail[] {
  const { tenant, property, quoteId } = facts
  const number = contractNumber(facts)
  return [
    detail('Name', tenant.name),
    emailDetail('E-mail', tenant.email),
    detail('Home', onOneLine(property.addressLines)),
    ...(number === null ? [] : [detail('Contract number', number)]),
    detail('Quote number', quoteId),
  ]
}

function traderDetails({ operator: { trader } }: ContractFacts): Detail[] {
  const { companyNumber, vatNumber } = trader
  return [
    detail(
      'Name',
      trader.name,
      onOneLine([trader.legalName, ...(companyNumber === undefined ? [] : [`company number ${companyNumber}`])]),
      ...(vatNumber === undefined ? [] : [`VAT number ${vatNumber}`]),
    ),
    detail('Address', onOneLine(trader.address)),
    phoneDetail('Phone', trader.phone),
    emailDetail('E-mail', trader.email),
    ...(trader.website === undefined ? [] : [websiteDetail('Website', trader.website)]),
    detail('Cost of contacting us', trader.costOfContact),
  ]
}
