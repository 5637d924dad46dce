import { countInWords, percentInWords, quantityInWords } from '../../platform/kernel/in-words.ts'
import type { MeteredSupply, ServiceableProperty } from '../../quoting/packages/services.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import { type RateCardPackage, type RegionalRate, rateFor } from '../../quoting/rates/rate-card.ts'
import { boughtSectionKeys, sectionOf, serviceRowOf } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block } from '../document.ts'
import { printable } from '../printable.ts'
import { heading, paragraph } from './blocks.ts'
import { figureColumn } from './price-tables.ts'

/**
 * What metered prices are based on: the assumed consumption and the published rates
 * (docs/api-behaviour.md#consumption).
 */
export function priceBasis(facts: ContractFacts): Block[] {
  return boughtSectionKeys(facts).flatMap((section) => basisOf(section, facts))
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
      `We assumed what a household of ${people(price.shares.length)}${price.consumptionBasis?.withoutGas === true ? ' in a home without gas' : ''} uses in a year. This is only an assumption: the price does not depend on your meter readings. If you use more, you do not pay more. If you use less, you do not pay less. The rates are as published, with VAT: ${vatOfRates(lines)}. From them we calculate the price before VAT for each day, and then add that day’s VAT.`,
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
        `${rate.unitRate}p`,
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
    const rate = rateFor(rates, region)
    const use = price[`${metered.useKey}PerYear`]
    if (rate === undefined || use === undefined)
      throw new RangeError(`rate card ${rateCard.id} has no rates for ${line.packageId}`)
    return [{ line, supply: metered, region, rates, rate, use }]
  })
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
