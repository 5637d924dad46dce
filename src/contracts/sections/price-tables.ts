import { formatPounds } from '../../platform/kernel/money.ts'
import type { CostFigures, PricedLine, QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import type { Block, Column, Table } from '../document.ts'
import { printable } from '../printable.ts'

type Figures = (cost: CostFigures) => string[]

/** The tenant's own tables: the cost per week, month and year, and the whole contract with its VAT and set-up. */
export function ownTables(share: TenantShare, lines: readonly PricedLine[]): Block[] {
  const hasSetup = share.setupCost > 0
  const whole: Figures = (cost) => [cost.totalNet, cost.totalVat, cost.totalCost].map(formatPounds)
  const setup: Figures = (cost) => [cost.setupNet, cost.setupVat, cost.setupCost].map(formatPounds)
  const periods: Figures = (cost) => [cost.weeklyCost, cost.monthlyCost, cost.yearlyCost].map(formatPounds)
  const named = namedLines(share.lines, lines)
  return [
    table(`You: per week, month and year${hasSetup ? ', without set-up' : ''}`, ['Per week', 'Per month', 'Per year'], {
      rows: named.map(({ name, cost }) => [name, ...periods(cost)]),
      total: periods(share),
    }),
    table(`You: the whole contract${hasSetup ? ', including set-up' : ''}`, ['Before VAT', 'VAT', 'With VAT'], {
      rows: named.flatMap(({ name, cost }) => [
        [name, ...whole(cost)],
        ...(cost.setupCost > 0 ? [['of which set-up, paid once', ...setup(cost)]] : []),
      ]),
      total: whole(share),
    }),
  ]
}

/** What the household pays altogether, so that a tenant can see that the shares are equal. */
export function householdTable(price: QuotePrice): Block {
  const figures: Figures = (cost) => [cost.monthlyCost, cost.totalCost].map(formatPounds)
  return table('The whole household, with VAT', ['Per month', 'Whole contract'], {
    rows: namedLines(price.lines, price.lines).map(({ name, cost }) => [name, ...figures(cost)]),
    total: figures(price),
  })
}

function namedLines(
  costs: readonly CostFigures[],
  lines: readonly PricedLine[],
): { name: string; cost: CostFigures }[] {
  return lines.map((line, index) => {
    const cost = costs[index]
    if (cost === undefined) throw new RangeError("the share's lines do not match the household's")
    return { name: printable(line.name), cost }
  })
}

function table(
  caption: string,
  headings: readonly string[],
  { rows, total }: { rows: readonly (readonly string[])[]; total: readonly string[] },
): Table {
  return {
    kind: 'table',
    caption,
    columns: [{ heading: 'Service', holds: 'words' }, ...headings.map(figureColumn)],
    rows,
    total: ['Total', ...total],
  }
}

export function figureColumn(heading: string): Column {
  return { heading, holds: 'figure' }
}
