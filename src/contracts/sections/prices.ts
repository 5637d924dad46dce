import { dayInWords, percentInWords } from '../../platform/kernel/in-words.ts'
import { periodText } from '../../platform/kernel/period-text.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { printable } from '../printable.ts'
import { heading, paragraph } from './blocks.ts'
import { priceBasis } from './price-basis.ts'
import { householdTable, ownTables } from './price-tables.ts'

/** The price with taxes, the monthly total and possible extra charges: Schedule 2 (f), (g) and (h). */
export function pricesSection(facts: ContractFacts): Section {
  const { price } = facts
  return {
    id: 'price',
    heading: 'What it costs',
    blocks: [
      paragraph(sharing(facts)),
      ...ownTables(tenantShare(facts), price.lines),
      ...(price.shares.length === 1 ? [] : [householdTable(price)]),
      vatTable(facts),
      ...zeroRates(facts).map(paragraph),
      paragraph('Your price includes VAT at these rates. It does not go up or down if the law on VAT changes later.'),
      ...priceBasis(facts),
      heading('Nothing else to pay'),
      paragraph(
        'There is no delivery charge. You only pay more where this document says so: if a payment fails, if you leave early, and in the terms at the end.',
      ),
    ],
  }
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
