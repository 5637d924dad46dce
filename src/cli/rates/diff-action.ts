import { readRateCardFile } from '../../app/reference-data.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { distributionRegions } from '../../properties/postcodes/distribution-regions.ts'
import {
  type CostDifference,
  compareRateCards,
  type RateCardComparison,
} from '../../quoting/rates/comparison/compare-rate-cards.ts'
import { loadRateCard } from '../../quoting/rates/load-rate-card.ts'
import { isRateCardId, type RateCard } from '../../quoting/rates/rate-card.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { alignRows } from '../table.ts'
import { withDatabase } from '../with-database.ts'

/** The command `rates diff`. Opens the database only if one of the cards is named by its id. */
export async function printComparison(before: string, after: string, { json }: JsonOption): Promise<void> {
  const cards = await readCards([before, after])
  const [first, second] = [cards.get(before), cards.get(after)]
  if (first === undefined || second === undefined) throw new Error('a rate card was not read')
  const comparison = compareRateCards(first, second, londonDate(systemClock.now()))
  if (json) printJson(comparison)
  else print(describeComparison(comparison).join('\n'))
}

async function readCards(names: readonly string[]): Promise<Map<string, RateCard>> {
  const ids = names.filter(isRateCardId)
  const files = names.filter((name) => !isRateCardId(name))
  const fromFiles = await Promise.all(files.map(async (file) => [file, await readRateCardFile(file)] as const))
  if (ids.length === 0) return new Map(fromFiles)
  return withDatabase('rates diff', async ({ db }) => {
    const known = await Promise.all(ids.map(async (id) => [id, await loadRateCard({ db }, id)] as const))
    return new Map([...fromFiles, ...known])
  })
}

function describeComparison(comparison: RateCardComparison): string[] {
  const { before, after, figures } = comparison
  const changed = figures.map(({ pointer, before, after }) => [pointer, asText(before), asText(after)])
  return [
    `${before.quotingToolVersionId} compared with ${after.quotingToolVersionId}`,
    ...(changed.length === 0
      ? ['No figure differs.']
      : ['', 'Figures that differ:', alignRows([['FIGURE', 'BEFORE', 'AFTER'], ...changed])]),
    '',
    ...describeSampleHomes(comparison),
  ]
}

/** What the sample homes pay on both cards, for people to read. */
export function describeSampleHomes({ contractStartDate, homes }: RateCardComparison): string[] {
  return [
    `Yearly cost of energy without set-up, in pence, for contracts from ${contractStartDate}:`,
    alignRows([['REGIONS', 'GAS', 'TENANTS', 'BEFORE', 'AFTER', 'DIFFERENCE', '%', 'A MONTH'], ...costRows(homes)], {
      right: [3, 4, 5, 6, 7],
    }),
  ]
}

/** One row for all households that pay the same. */
function costRows(homes: readonly CostDifference[]): string[][] {
  const households = [...Map.groupBy(homes, ({ tenants: _, ...home }) => JSON.stringify(home)).values()].map(
    (group) => ({
      region: group[0]?.region ?? '',
      gas: group[0]?.hasGas === true ? 'yes' : 'no',
      tenants: group.map(({ tenants }) => tenants).join(' '),
      costs: costsInWords(group[0]),
    }),
  )
  const rows = Map.groupBy(households, ({ region: _, ...household }) => JSON.stringify(household))
  return [...rows.values()].flatMap((group) =>
    group.slice(0, 1).map(({ gas, tenants, costs }) => [regionsInWords(group), gas, tenants, ...costs]),
  )
}

function costsInWords(home: CostDifference | undefined): string[] {
  const { before, after, difference } = home ?? {}
  const percent = difference?.percent?.toFixed(2)
  return [before?.yearlyCost, after?.yearlyCost, difference?.yearlyCost, percent, difference?.monthlyCost].map(asText)
}

function regionsInWords(group: readonly { region: string }[]): string {
  return group.length === distributionRegions.length ? 'all' : group.map(({ region }) => region).join(' ')
}

const longestText = 40

function asText(figure: string | number | boolean | null | undefined): string {
  const text = String(figure ?? '-')
  return text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
}
