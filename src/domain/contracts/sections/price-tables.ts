import { formatPounds } from '../../../kernel/money.ts'
import type { CostFigures, PricedLine } from '../../pricing/price.ts'
import type { Block, Column, Table } from '../document.ts'
import { printable } from '../printable.ts'

/** The figures to show for one tenant or for the household. `lines` are in the order of the price's lines. */
export interface CostedParty {
  /** The start of each caption: "Your share" or "The whole household". */
  name: string
  lines: readonly CostFigures[]
  total: CostFigures
}

type Figures = (cost: CostFigures) => string[]

/** The tables for one party: the whole contract, its set-up costs, and the cost per week, month and year. */
export function priceTables(party: CostedParty, lines: readonly PricedLine[]): Block[] {
  const setupLines = lines.map((line, index) => ({ line, index })).filter(({ line }) => line.setupCost > 0)
  const whole: Figures = (cost) => [cost.totalNet, cost.totalVat, cost.totalCost].map(formatPounds)
  const setup: Figures = (cost) => [cost.setupNet, cost.setupVat, cost.setupCost].map(formatPounds)
  const periods: Figures = (cost) => [cost.weeklyCost, cost.monthlyCost, cost.yearlyCost].map(formatPounds)

  const withVat = ['Before VAT', 'VAT', 'With VAT']
  const everyLine = lines.map((line, index) => ({ line, index }))
  return [
    table(
      `${party.name}: the whole contract${setupLines.length > 0 ? ', including set-up' : ''}`,
      withVat,
      everyLine,
      whole,
    ),
    ...(setupLines.length > 0 ? [table(`${party.name}: set-up, paid once`, withVat, setupLines, setup)] : []),
    table(
      `${party.name}: per week, month and year${setupLines.length > 0 ? ', without set-up' : ''}`,
      ['Per week', 'Per month', 'Per year'],
      everyLine,
      periods,
    ),
  ]

  function table(
    caption: string,
    headings: readonly string[],
    shown: readonly { line: PricedLine; index: number }[],
    figures: Figures,
  ): Table {
    return {
      kind: 'table',
      caption,
      columns: [{ heading: 'Service', holds: 'words' }, ...headings.map(figureColumn)],
      rows: shown.map(({ line, index }) => [printable(line.name), ...figures(costOf(party, index))]),
      total: ['Total', ...figures(party.total)],
    }
  }
}

export function figureColumn(heading: string): Column {
  return { heading, holds: 'figure' }
}

function costOf(party: CostedParty, index: number): CostFigures {
  const cost = party.lines[index]
  if (cost === undefined) throw new RangeError("the share's lines do not match the household's")
  return cost
}
