import type { CostFigures, PricedLine } from '../quoting/pricing/price.ts'
import { serviceRowOf } from './bought-services.ts'
import { type ContractFacts, tenantShare } from './contract-facts.ts'

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
