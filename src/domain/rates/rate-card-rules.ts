import type { RateCard } from './rate-card.ts'

/** One thing wrong with a rate card file; `pointer` is a JSON pointer into it. */
export interface RateCardProblem {
  pointer: string
  detail: string
}

/**
 * What the schema cannot say: dates in order, one default a service, rates where they belong, VAT from the beginning on.
 * Empty for a card that can be published.
 */
export function rateCardProblems(card: RateCard): RateCardProblem[] {
  return [...saleProblems(card), ...packageProblems(card), ...vatProblems(card)]
}

function saleProblems(card: RateCard): RateCardProblem[] {
  if (card.onSaleTo === undefined || card.onSaleFrom === undefined || card.onSaleTo >= card.onSaleFrom) return []
  return [{ pointer: '/onSaleTo', detail: `must not be before onSaleFrom (${card.onSaleFrom})` }]
}

function packageProblems(card: RateCard): RateCardProblem[] {
  const problems: RateCardProblem[] = []
  for (const [index, offered] of card.packages.entries()) {
    const pointer = `/packages/${index}`
    if (card.packages.findIndex((other) => other.packageId === offered.packageId) !== index) {
      problems.push({ pointer: `${pointer}/packageId`, detail: 'is used more than once' })
    }
    if (!offered.name.toLowerCase().includes(offered.type)) {
      problems.push({ pointer: `${pointer}/name`, detail: `must contain the word "${offered.type}"` })
    }
    const regions = Object.keys(offered.rates ?? {})
    if (offered.type === 'broadband' && regions.length > 0) {
      problems.push({ pointer: `${pointer}/rates`, detail: 'must be absent: broadband is priced by its products' })
    }
    if (offered.type !== 'broadband' && regions.length === 0) {
      problems.push({ pointer: `${pointer}/rates`, detail: 'must have at least one region, or GB for all regions' })
    }
  }
  for (const type of new Set(card.packages.map((offered) => offered.type))) {
    const defaults = card.packages.filter((offered) => offered.type === type && offered.isDefault)
    if (defaults.length !== 1)
      problems.push({
        pointer: '/packages',
        detail: `exactly one ${type} package must be the default, but ${defaults.length} are`,
      })
  }
  return problems
}

function vatProblems(card: RateCard): RateCardProblem[] {
  return Object.entries(card.vat).flatMap(([service, rates]) =>
    rates.flatMap((entry, index): RateCardProblem[] => {
      const pointer = `/vat/${service}/${index}/from`
      if (index === 0)
        return entry.from === undefined ? [] : [{ pointer, detail: 'must be absent: the first rate has no start date' }]
      const previous = rates[index - 1]?.from
      if (entry.from === undefined) return [{ pointer, detail: 'is required from the second rate on' }]
      return previous !== undefined && entry.from <= previous
        ? [{ pointer, detail: "must be later than the previous rate's" }]
        : []
    }),
  )
}
