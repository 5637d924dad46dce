import type { CostFigures, PricedLine } from '../pricing/price.ts'
import { type ContractFacts, ownShare } from './contract-facts.ts'
import { rowOf } from './services.ts'

/** A line of the household's price and the tenant's share of it. */
export interface OwnLine {
  household: PricedLine
  own: CostFigures
}

/** The lines of a contract section. Throws RangeError if the share's lines do not match the household's. */
export function ownLines(facts: ContractFacts, section: string): OwnLine[] {
  const share = ownShare(facts)
  return facts.price.lines
    .map((household, index) => {
      const own = share.lines[index]
      if (own === undefined) throw new RangeError("the share's lines do not match the household's")
      return { household, own }
    })
    .filter(({ household }) => rowOf(household, facts).contractSection === section)
}
