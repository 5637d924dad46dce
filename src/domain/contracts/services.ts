import { type Service, type ServiceRow, serviceNames, serviceRow } from '../packages/services.ts'
import { listText } from '../payments/plan/period-text.ts'
import type { PricedLine } from '../pricing/price.ts'
import type { ContractFacts, ContractSection } from './contract-facts.ts'
import type { OperatorFile } from './operator.ts'

/** The services the household buys, in the order of every breakdown, each once. */
export function boughtServices({ price, services }: ContractFacts): Service[] {
  return serviceNames(services).filter((service) => price.lines.some(({ type }) => type === service))
}

/** The contract sections of what the household buys, each once. */
export function boughtSections(facts: ContractFacts): string[] {
  return [...new Set(boughtServices(facts).map((service) => serviceRow(service, facts.services).contractSection))]
}

/** A section by its key. Throws RangeError where there is none. */
export function sectionOf({ sections }: ContractFacts, key: string): ContractSection {
  const section = sections[key]
  if (section === undefined) throw new RangeError(`there is no contract section ${key}`)
  return section
}

/** "electricity, gas and broadband" */
export function boughtInWords(facts: ContractFacts): string {
  return listText(boughtServices(facts))
}

export function rowOf(line: Pick<PricedLine, 'type'>, { services }: ContractFacts): ServiceRow {
  return serviceRow(line.type, services)
}

/** Who supplies a service. Throws RangeError where the operator's file does not say. */
export function supplierOf(service: Service, { operator }: ContractFacts): OperatorFile['suppliers'][string] {
  const supplier = operator.suppliers[service]
  if (supplier === undefined) throw new RangeError(`the operator's file names no supplier of ${service}`)
  return supplier
}

/** "Electricity" */
export function capitalised(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}
