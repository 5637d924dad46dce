import type { Service } from '../packages/package.ts'
import { services } from '../packages/package.ts'
import { listText } from '../payments/plan/period-text.ts'
import type { PricedLine } from '../pricing/price.ts'
import type { ContractFacts } from './contract-facts.ts'

/** The services the household buys, in the order of every breakdown, each once. */
export function boughtServices({ price }: ContractFacts): Service[] {
  return services.filter((service) => price.lines.some(({ type }) => type === service))
}

/** "electricity, gas and broadband" */
export function boughtInWords(facts: ContractFacts): string {
  return listText(boughtServices(facts))
}

export function linesOf({ price }: ContractFacts, ...wanted: readonly Service[]): PricedLine[] {
  return price.lines.filter(({ type }) => wanted.includes(type))
}

/** "Electricity" */
export function serviceName(service: Service): string {
  return `${service.slice(0, 1).toUpperCase()}${service.slice(1)}`
}
