import { listInWords } from '../platform/kernel/period-text.ts'
import { type Service, type ServiceRow, serviceNames, serviceRow } from '../quoting/packages/services.ts'
import type { CostFigures, PricedLine } from '../quoting/pricing/price.ts'
import { type ContractFacts, type ContractSection, tenantShare } from './contract-facts.ts'
import type { OperatorFile } from './operator-file.ts'

/** The services that the household buys, each once, in the order of the service table. */
function boughtServices({ price, services }: ContractFacts): Service[] {
  return serviceNames(services).filter((service) => price.lines.some(({ type }) => type === service))
}

/** The keys of the contract sections for the services that the household buys, each once. */
export function boughtSectionKeys(facts: ContractFacts): string[] {
  return [...new Set(boughtServices(facts).map((service) => serviceRow(service, facts.services).contractSection))]
}

/** The section with this key. Throws RangeError if there is none. */
export function sectionOf({ sections }: ContractFacts, key: string): ContractSection {
  const section = sections[key]
  if (section === undefined) throw new RangeError(`unknown contract section ${key}`)
  return section
}

/** Lists in words the services that the household buys, e.g. "electricity, gas and broadband". */
export function boughtServicesInWords(facts: ContractFacts): string {
  return listInWords(boughtServices(facts))
}

/**
 * Says which services are selected but not part of the contract, one sentence each, e.g. "Broadband is not part of this
 * contract."
 */
export function notIncludedInWords({ price }: ContractFacts): string[] {
  return (price.notIncluded ?? []).map((service) => `${capitalised(service)} is not part of this contract.`)
}

export function serviceRowOf(line: Pick<PricedLine, 'type'>, { services }: ContractFacts): ServiceRow {
  return serviceRow(line.type, services)
}

/** The supplier of a service. Throws RangeError if the operator's file names none. */
export function supplierOf(service: Service, { operator }: ContractFacts): OperatorFile['suppliers'][string] {
  const supplier = operator.suppliers[service]
  if (supplier === undefined) throw new RangeError(`the operator's file names no supplier for ${service}`)
  return supplier
}

/** The name with its first letter in upper case, e.g. "Electricity". */
export function capitalised(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** A line of the household's price and the tenant's share of it. */
export interface TenantLine {
  household: PricedLine
  own: CostFigures
}

/** The lines of a contract section. Throws RangeError if the share's lines do not match the household's. */
export function tenantLines(facts: ContractFacts, section: string): TenantLine[] {
  const share = tenantShare(facts)
  return facts.price.lines
    .map((household, index) => {
      const own = share.lines[index]
      if (own === undefined) throw new RangeError("the share's lines do not match the household's")
      return { household, own }
    })
    .filter(({ household }) => serviceRowOf(household, facts).contractSection === section)
}
