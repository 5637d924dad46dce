import { isoDate } from '../../platform/kernel/dates.ts'
import { countInWords, dayInWords, percentInWords, quantityInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { listInWords, monthsText, periodText } from '../../platform/kernel/period-text.ts'
import type { MeteredSupply, ServiceableProperty } from '../../quoting/packages/services.ts'
import type { CostFigures, PricedLine, QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import { type RateCardPackage, type RegionalRate, rateFor } from '../../quoting/rates/rate-card.ts'
import { boughtSectionKeys, sectionOf, serviceRowOf } from '../bought-services.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block, Column, Section, Table } from '../document.ts'
import { printable } from '../printable.ts'
import { textFor } from '../terms/conditional-text.ts'
import { heading, paragraph, section } from './blocks.ts'
import { canCostToLeave } from './leaving-early.ts'

/**
 * What metered prices are based on: the assumed consumption and the published rates
 * (docs/api-behaviour.md#consumption).
 */
function priceBasis(facts: ContractFacts): Block[] {
  return boughtSectionKeys(facts).flatMap((section) => basisOf(section, facts))
}

function unitRateInWords({ unitRate, twoRate }: RegionalRate): string {
  if (twoRate === undefined) return `${unitRate}p`
  return `${twoRate.dayRate}p by day, ${twoRate.nightRate}p by night (${percentInWords(twoRate.nightShare)} of the use)`
}

interface MeteredLine {
  line: PricedLine
  supply: MeteredSupply
  region: string
  rates: RateCardPackage['rates']
  rate: RegionalRate
  /** The assumed yearly usage. */
  use: number
}

function basisOf(section: string, facts: ContractFacts): Block[] {
  const { price, rateCard } = facts
  const lines = meteredLines(section, facts)
  const [first] = lines
  if (first === undefined) return []
  const { supply, region } = first
  const hasRegionalRates = lines.some(({ rates }) => rates?.[region] !== undefined)
  const regionName = hasRegionalRates ? supply.region.nameOf(region) : 'Great Britain'
  return [
    heading(`How we calculated the ${sectionOf(facts, section).name} price`),
    paragraph(
      `We assumed what a household of ${people(price.shares.length)}${price.consumptionBasis?.withoutGas === true ? ' in a home without gas' : ''} uses in a year. This is only an assumption: the price does not depend on your meter readings. If you use more, you do not pay more. If you use less, you do not pay less. The rates are as published${publishedFor(rateCard)}, with VAT: ${vatOfRates(lines)}. From them we calculate the price before VAT for each day, and then add that day’s VAT.`,
    ),
    {
      kind: 'table',
      caption: `Rates and assumed usage: ${printable(rateCard.name)}, ${regionName}`,
      columns: [
        { heading: 'Service', holds: 'words' },
        ...['Use per year', `Per ${supply.unit}`, 'Per day'].map(figureColumn),
      ],
      rows: lines.map(({ line, use, rate }) => [
        printable(line.name),
        quantityInWords(use, supply.unit),
        unitRateInWords(rate),
        `${rate.standingCharge}p`,
      ]),
    },
  ]
}

/**
 * The section's metered lines, with the rates and the assumed usage that their prices are based on. Throws RangeError
 * if the price is from a different rate card.
 */
function meteredLines(section: string, facts: ContractFacts): MeteredLine[] {
  const { price, property, rateCard } = facts
  if (rateCard.id !== price.quotingToolVersionId)
    throw new RangeError(`the price was not calculated from rate card ${rateCard.id}`)
  const home: ServiceableProperty = { address: { ...property, country: property.nation }, region: price.region }
  return price.lines.flatMap((line) => {
    const { metered, contractSection } = serviceRowOf(line, facts)
    if (metered === null || contractSection !== section) return []
    const rates = rateCard.packages.find(({ packageId }) => packageId === line.packageId)?.rates
    const region = metered.region.of(home)
    const rate = rateFor(rates, region, line.registers)
    const use = price[`${metered.useKey}PerYear`]
    if (rate === undefined || use === undefined)
      throw new RangeError(`rate card ${rateCard.id} has no rates for ${line.packageId}`)
    return [{ line, supply: metered, region, rates, rate, use }]
  })
}

/** For which days the rates were published; later ones change nothing. */
function publishedFor({ publishedFor: period }: ContractFacts['rateCard']): string {
  return period === undefined ? '' : ` for ${monthsText(isoDate(period.from), isoDate(period.to))}`
}

/**
 * A document always has tenants, so their number determines the consumption. The number of bedrooms matters only before
 * any tenants are added.
 */
function people(tenants: number): string {
  return tenants === 1 ? 'one person' : `${countInWords(tenants)} people`
}

function vatOfRates(lines: readonly MeteredLine[]): string {
  return lines.map(({ line, rate }) => `${line.type} at ${percentInWords(rate.vatRate)}`).join(', ')
}

type Figures = (cost: CostFigures) => string[]

/** The tenant's own tables: the cost per week, month and year, and the whole contract with its VAT and set-up. */
function ownTables(share: TenantShare, lines: readonly PricedLine[]): Block[] {
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
function householdTable(price: QuotePrice): Block {
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

function figureColumn(heading: string): Column {
  return { heading, holds: 'figure' }
}

/** The price with taxes, the monthly total and possible extra charges: Schedule 2 (f), (g) and (h). */
export function pricesSection(facts: ContractFacts): Section {
  const { price } = facts
  return section('price', 'What it costs', [
    paragraph(sharing(facts)),
    ...ownTables(tenantShare(facts), price.lines),
    ...(price.shares.length === 1 ? [] : [householdTable(price)]),
    vatTable(facts),
    ...zeroRates(facts).map(paragraph),
    paragraph('Your price includes VAT at these rates. It does not go up or down if the law on VAT changes later.'),
    ...priceBasis(facts),
    paragraph(`There is no delivery charge. ${furtherChargesInWords(facts)}`),
  ])
}

/** For what a tenant can have to pay more than the price, in the words of an “if”. */
export function furtherCharges(facts: ContractFacts): string[] {
  const { latePayment, words } = facts.terms
  const costsIfLate = latePayment === undefined ? words.latePayment !== undefined : latePayment.feePence > 0
  return [
    ...(costsIfLate ? ['a payment fails'] : []),
    ...(canCostToLeave(facts) ? ['you leave early'] : []),
    ...(words.deposit === undefined ? [] : ['section 4 says that we ask for a deposit']),
    ...(textFor(facts, words.clauses).length > 0 ? ['the terms at the end say so'] : []),
  ]
}

function furtherChargesInWords(facts: ContractFacts): string {
  const cases = furtherCharges(facts)
  return cases.length === 0
    ? 'There is nothing else to pay.'
    : `You pay more only if ${listInWords(cases, 'or')}. This document says how much.`
}

function sharing({ price, agreement }: ContractFacts): string {
  const fixed = 'The price is fixed for the whole contract.'
  if (agreement?.takesOver === true && price.shares.length > 1)
    return `${fixed} You pay what is left of one of the ${price.shares.length} equal shares into which it is split.`
  return price.shares.length === 1
    ? `${fixed} You are the only tenant, so you pay all of it.`
    : `${fixed} It is split equally between the ${price.shares.length} tenants. The prices of two tenants differ by a penny at most, because pence cannot be divided.`
}

function vatTable({ price }: ContractFacts): Block {
  const rows = price.lines.flatMap((line) => {
    const name = printable(line.name)
    const term = line.vatRates.map(({ rate, from, to }) => [name, percentInWords(rate), periodText(from, to)])
    const setup = [`Set-up: ${name}`, percentInWords(line.setupVatRate), 'Once']
    return line.setupCost > 0 ? [...term, setup] : term
  })
  return {
    kind: 'table',
    caption: 'VAT rates in the price',
    columns: [
      { heading: 'Service', holds: 'words' },
      { heading: 'Rate', holds: 'label' },
      { heading: 'When', holds: 'words' },
    ],
    rows,
  }
}

/** Explains each rate of 0%, which would otherwise look like a mistake (docs/api-behaviour.md#vat). */
function zeroRates({ price }: ContractFacts): string[] {
  return price.lines.flatMap(({ type, vatRates }) =>
    vatRates.flatMap(({ rate, from, to }, index) => {
      if (Number(rate) !== 0) return []
      const next = vatRates[index + 1]
      const after = next === undefined ? '' : ` From ${dayInWords(next.from)} it is ${percentInWords(next.rate)}.`
      return [`0% is not a mistake. By law, there is no VAT on ${type} in this time, ${periodText(from, to)}.${after}`]
    }),
  )
}
