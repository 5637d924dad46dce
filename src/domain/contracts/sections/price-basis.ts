import { distributionRegions } from '../../addresses/postcodes/distribution-regions.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block } from '../document.ts'
import { energyRate } from '../energy-rates.ts'
import { countInWords, kilowattHoursInWords, percentInWords } from '../in-words.ts'
import { printable } from '../printable.ts'
import { linesOf } from '../services.ts'
import { heading, paragraph } from './blocks.ts'
import { figureColumn } from './price-tables.ts'

/**
 * What the energy price is based on: the assumed consumption and the published rates
 * (docs/api-behaviour.md#consumption).
 */
export function priceBasis(facts: ContractFacts): Block[] {
  const { price, rateCard } = facts
  return [
    heading('How we calculated the energy price'),
    paragraph(
      `We assumed what a household of ${people(price.shares.length)} uses in a year. This is only an assumption: the price does not depend on your meter readings. If you use more, you do not pay more. If you use less, you do not pay less.`,
    ),
    {
      kind: 'table',
      caption: `Rates and assumed use: ${printable(rateCard.name)}, ${regionName(price.region)}`,
      columns: [{ heading: 'Service', holds: 'words' }, ...['Use per year', 'Per kWh', 'Per day'].map(figureColumn)],
      rows: linesOf(facts, 'electricity', 'gas').map((line) => {
        const { unitRate, standingCharge } = energyRate(line, price, rateCard)
        const use = line.type === 'electricity' ? price.electricityKwhPerYear : price.gasKwhPerYear
        return [printable(line.name), kilowattHoursInWords(use), `${unitRate}p`, `${standingCharge}p`]
      }),
    },
    paragraph(
      `The rates are shown as published, with VAT: ${vatOfRates(facts)}. From these rates we calculate the price before VAT for each day of the contract, and then add that day’s VAT.`,
    ),
  ]
}

/** Where consumption was assumed by bedrooms the household had no tenants yet; a document always has one. */
function people(tenants: number): string {
  return tenants === 1 ? 'one person' : `${countInWords(tenants)} people`
}

function regionName(region: string): string {
  return distributionRegions.find(({ gspGroup }) => gspGroup === region)?.name ?? 'Great Britain'
}

function vatOfRates(facts: ContractFacts): string {
  return linesOf(facts, 'electricity', 'gas')
    .map((line) => `${line.type} at ${percentInWords(energyRate(line, facts.price, facts.rateCard).vatRate)}`)
    .join(', ')
}
