import { isName, isSingleLine } from '../../platform/kernel/plain-text.ts'
import { type MeteredSupply, serviceRow } from '../packages/services.ts'
import { allRegionsKey, consumptionBands, type RateCard, type RateCardPackage } from './rate-card.ts'

/** A problem in a rate card file. `pointer` is a JSON pointer to its place in the file. */
export interface RateCardProblem {
  pointer: string
  detail: string
}

/**
 * Checks the rules that the schema cannot express. Sale dates must be in order, each service must have exactly one
 * default package, rates must be for known regions, and the card must give VAT and consumption for every service it
 * sells. Returns no problems if the card can be published.
 */
export function rateCardProblems(card: RateCard): RateCardProblem[] {
  return [
    ...textProblems(card),
    ...saleProblems(card),
    ...packageProblems(card),
    ...serviceProblems(card),
    ...consumptionProblems(card),
    ...vatProblems(card),
  ]
}

/** Every text of a card is printed on terminals or in documents. */
function textProblems({ name, source, packages }: RateCard): RateCardProblem[] {
  const named = [
    { pointer: '/name', text: name },
    ...packages.map((each, index) => ({ pointer: `/packages/${index}/name`, text: each.name })),
  ]
  const described = [
    { pointer: '/source', text: source },
    ...packages.map((each, index) => ({ pointer: `/packages/${index}/description`, text: each.description })),
  ]
  return [
    ...named.filter(({ text }) => !isName(text)).map(({ pointer }) => ({ pointer, detail: nameRule })),
    ...described.filter(({ text }) => !isSingleLine(text)).map(({ pointer }) => ({ pointer, detail: lineRule })),
  ]
}

const lineRule = 'must be one line of visible text, without control characters or bidirectional controls'
const nameRule = `${lineRule}, and have a letter or digit`

function saleProblems({ onSaleFrom, onSaleTo, publishedFor }: RateCard): RateCardProblem[] {
  const problems: RateCardProblem[] = []
  if (onSaleTo !== undefined && onSaleFrom !== undefined && onSaleTo < onSaleFrom)
    problems.push({ pointer: '/onSaleTo', detail: `must not be before onSaleFrom (${onSaleFrom})` })
  if (publishedFor !== undefined && publishedFor.to < publishedFor.from)
    problems.push({ pointer: '/publishedFor/to', detail: `must not be before from (${publishedFor.from})` })
  return problems
}

function packageProblems(card: RateCard): RateCardProblem[] {
  return card.packages.flatMap((offered, index) => {
    const at = (field: string, detail: string) => ({ pointer: `/packages/${index}/${field}`, detail })
    const isRepeated = card.packages.findIndex((other) => other.packageId === offered.packageId) !== index
    const nameHasType = offered.name.toLowerCase().includes(offered.type)
    return [
      ...(isRepeated ? [at('packageId', 'is used more than once')] : []),
      ...(nameHasType ? [] : [at('name', `must contain the word "${offered.type}"`)]),
      ...rateProblems(offered, serviceRow(offered.type).metered, at),
    ]
  })
}

function rateProblems(
  { type, rates = {} }: RateCardPackage,
  metered: MeteredSupply | null,
  at: (field: string, detail: string) => RateCardProblem,
): RateCardProblem[] {
  const regions = Object.keys(rates)
  if (metered === null) {
    return regions.length > 0 ? [at('rates', `must be absent: ${type} is priced by its products`)] : []
  }
  if (regions.length === 0) return [at('rates', 'must have at least one region, or GB for all regions')]
  const regionPattern = new RegExp(`^(${metered.region.pattern}|${allRegionsKey})$`)
  return regions.flatMap((region) => [
    ...(regionPattern.test(region) ? [] : [at(`rates/${region}`, `is not a region of ${type}`)]),
    ...(rates[region]?.twoRate === undefined || metered.hasTwoRates === true
      ? []
      : [at(`rates/${region}/twoRate`, `must be absent: meters of ${type} have one rate`)]),
  ])
}

/** Checks the entries that a card must have for each service it sells. */
function serviceProblems(card: RateCard): RateCardProblem[] {
  return [...new Set(card.packages.map(({ type }) => type))].flatMap((type) => {
    const defaults = card.packages.filter((offered) => offered.type === type && offered.isDefault).length
    const detail = `exactly one ${type} package must be the default, but ${defaults} have isDefault set to true`
    const useKey = serviceRow(type).metered?.useKey
    const bandsWithoutUse = consumptionBands.filter(
      (band) => useKey !== undefined && card.consumption[band][useKey] === undefined,
    )
    return [
      ...(defaults === 1 ? [] : [{ pointer: '/packages', detail }]),
      ...bandsWithoutUse.map((band) => ({ pointer: `/consumption/${band}/${useKey}`, detail: 'is missing' })),
      ...(card.vat[type] === undefined ? [{ pointer: `/vat/${type}`, detail: 'is missing' }] : []),
    ]
  })
}

/**
 * Checks that a further table of consumption gives a use in every row or in none, so that no household is priced by
 * half of it.
 */
function consumptionProblems({ consumption: { occupants, withoutGas } }: RateCard): RateCardProblem[] {
  const { occupants: occupantsWithoutGas, ...bandsWithoutGas } = withoutGas ?? {}
  const tables = {
    occupants: occupants ?? {},
    withoutGas: bandsWithoutGas,
    'withoutGas/occupants': occupantsWithoutGas ?? {},
  }
  return Object.entries(tables).flatMap(([path, rows]) => {
    const useKeys = new Set(Object.values(rows).flatMap((row) => Object.keys(row)))
    return Object.entries(rows).flatMap(([row, uses]) =>
      [...useKeys]
        .filter((useKey) => uses[useKey] === undefined)
        .map((useKey) => ({
          pointer: `/consumption/${path}/${row}/${useKey}`,
          detail: 'is missing, although another row of the table has it',
        })),
    )
  })
}

function vatProblems(card: RateCard): RateCardProblem[] {
  return Object.entries(card.vat).flatMap(([service, rates]) =>
    rates.flatMap((entry, index): RateCardProblem[] => {
      const pointer = `/vat/${service}/${index}/from`
      if (index === 0)
        return entry.from === undefined
          ? []
          : [{ pointer, detail: 'must be absent, because the first rate has no start date' }]
      const previous = rates[index - 1]?.from
      if (entry.from === undefined) return [{ pointer, detail: 'is required from the second rate on' }]
      return previous !== undefined && entry.from <= previous
        ? [{ pointer, detail: 'must be later than the start of the previous rate' }]
        : []
    }),
  )
}
