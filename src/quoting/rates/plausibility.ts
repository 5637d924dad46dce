import { type MeteredSupply, serviceRow, services } from '../packages/services.ts'
import type { RateCard, RegionalRate, YearlyUse } from './rate-card.ts'
import type { RateCardProblem } from './rate-card-rules.ts'

/** The VAT rates that UK law has for these supplies: nil, reduced and standard. */
const lawfulVatRates = [0, 0.05, 0.2]

/**
 * The figures of a card that look wrong, although the card can be published. A card may have them for a good reason, so
 * they are warnings for the operator to read.
 */
export function implausibleFigures(card: RateCard): RateCardProblem[] {
  return [...rateWarnings(card), ...useWarnings(card), ...vatWarnings(card)]
}

function rateWarnings({ packages }: RateCard): RateCardProblem[] {
  return packages.flatMap(({ type, rates = {} }, index) => {
    const { metered } = serviceRow(type)
    return Object.entries(rates).flatMap(([region, rate]) => {
      const at = `/packages/${index}/rates/${region}`
      return [
        ...(metered === null ? [] : implausibleRates(at, rate, metered)),
        ...unlawful(`${at}/vatRate`, rate.vatRate),
      ]
    })
  })
}

function implausibleRates(at: string, rate: RegionalRate, { plausible, unit }: MeteredSupply): RateCardProblem[] {
  const { twoRate } = rate
  const unitRates = {
    unitRate: rate.unitRate,
    'twoRate/dayRate': twoRate?.dayRate,
    'twoRate/nightRate': twoRate?.nightRate,
  }
  const standingCharges = { standingCharge: rate.standingCharge, 'twoRate/standingCharge': twoRate?.standingCharge }
  const check = (figures: object, expected: readonly [number, number], unit: string) =>
    Object.entries(figures).flatMap(([name, figure]) =>
      figure === undefined ? [] : outside(`${at}/${name}`, Number(figure), expected, unit),
    )
  return [
    ...check(unitRates, plausible.unitRate, `pence per ${unit}`),
    ...check(standingCharges, plausible.standingCharge, 'pence per day'),
  ]
}

function useWarnings({ consumption }: RateCard): RateCardProblem[] {
  const { occupants, withoutGas, ...bands } = consumption
  const { occupants: occupantsWithoutGas, ...bandsWithoutGas } = withoutGas ?? {}
  return [
    ...tableWarnings('/consumption', bands),
    ...tableWarnings('/consumption/occupants', occupants ?? {}),
    ...tableWarnings('/consumption/withoutGas', bandsWithoutGas),
    ...tableWarnings('/consumption/withoutGas/occupants', occupantsWithoutGas ?? {}),
  ]
}

/** The rows are in ascending order of the household's size. */
function tableWarnings(path: string, table: Readonly<Record<string, YearlyUse>>): RateCardProblem[] {
  const rows = Object.entries(table)
  return Object.values(services).flatMap(({ metered }) => {
    if (metered === null) return []
    const { useKey, plausible } = metered
    return rows.flatMap(([row, uses], index) => {
      const use = uses[useKey]
      const before = rows[index - 1]?.[1][useKey]
      if (use === undefined) return []
      const pointer = `${path}/${row}/${useKey}`
      const detail = `${use} is less than the ${before} of the smaller household before it`
      return [
        ...outside(pointer, use, plausible.use, 'a year'),
        ...(before !== undefined && use < before ? [{ pointer, detail }] : []),
      ]
    })
  })
}

function vatWarnings({ vat }: RateCard): RateCardProblem[] {
  return Object.entries(vat).flatMap(([service, rates]) =>
    rates.flatMap(({ rate }, index) => unlawful(`/vat/${service}/${index}/rate`, rate)),
  )
}

function unlawful(pointer: string, rate: string): RateCardProblem[] {
  if (lawfulVatRates.includes(Number(rate))) return []
  return [{ pointer, detail: `${rate} is not a UK VAT rate: 0, 0.05 or 0.2` }]
}

function outside(
  pointer: string,
  figure: number,
  [from, to]: readonly [number, number],
  unit: string,
): RateCardProblem[] {
  if (figure >= from && figure <= to) return []
  return [{ pointer, detail: `${figure} is unusual: between ${from} and ${to} ${unit} is expected` }]
}
