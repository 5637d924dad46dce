import { serviceNames, serviceRow } from '../../packages/services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Detail, Section } from '../document.ts'
import { boughtServices, capitalised, supplierOf } from '../services.ts'
import { detail, emailDetail, heading, operatorParagraphs, phoneDetail, websiteDetail } from './blocks.ts'

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
      heading('Who we act for and who supplies your home'),
      ...operatorParagraphs(facts.operator.trader.role),
      supplierDetails(facts),
    ],
  }
}

function tenantDetails({ tenant, property, services, customerId, quoteId }: ContractFacts): Detail[] {
  return [
    detail('Name', tenant.name),
    emailDetail('E-mail', tenant.email),
    detail('Home', ...property.addressLines),
    ...serviceNames(services).flatMap((service) => {
      const meter = serviceRow(service, services).metered?.meter
      if (!meter) return []
      return [detail(`${capitalised(service)} meter point (${meter.name})`, property[meter.field] ?? 'None')]
    }),
    detail('Contract number', customerId),
    detail('Quote number', quoteId),
  ]
}

function traderDetails({ operator: { trader } }: ContractFacts): Detail[] {
  return [
    detail('Trading name', trader.name),
    detail('Legal name', trader.legalName),
    ...(trader.companyNumber === undefined ? [] : [detail('Company number', trader.companyNumber)]),
    ...(trader.vatNumber === undefined ? [] : [detail('VAT number', trader.vatNumber)]),
    detail('Address', ...trader.address),
    phoneDetail('Phone', trader.phone),
    emailDetail('E-mail', trader.email),
    ...(trader.website === undefined ? [] : [websiteDetail('Website', trader.website)]),
    detail('Cost of contacting us', trader.costOfContact),
  ]
}

function supplierDetails(facts: ContractFacts): Block {
  return {
    kind: 'details',
    items: boughtServices(facts).map((service) => {
      const { name, address, phone } = supplierOf(service, facts)
      return detail(capitalised(service), name, address, phone)
    }),
  }
}
