import { periodText } from '../../payments/plan/period-text.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { percentInWords } from '../in-words.ts'
import { printable } from '../printable.ts'
import { heading, paragraph } from './blocks.ts'
import { priceBasis } from './price-basis.ts'
import { priceTables } from './price-tables.ts'

/** The price with taxes, the monthly total and possible extra charges: Schedule 2 (f), (g) and (h). */
export function pricesSection(facts: ContractFacts): Section {
  const { price } = facts
  const share = tenantShare(facts)
  return {
    id: 'price',
    heading: 'What it costs',
    blocks: [
      paragraph(sharing(facts)),
      ...priceTables({ name: 'Your share', lines: share.lines, total: share }, price.lines),
      ...priceTables({ name: 'The whole household', lines: price.lines, total: price }, price.lines),
      heading('VAT'),
      vatTable(facts),
      paragraph(
        'The agreed prices include VAT at the rates known when they were calculated. They do not go up or down if the law on VAT changes later.',
      ),
      ...priceBasis(facts),
      heading('Nothing else to pay'),
      paragraph(
        'Your total covers the services above for the whole contract. There is no delivery charge. You only pay more where this document says so: see late payment, ending early and the terms at the end.',
      ),
    ],
  }
}

function sharing({ price }: ContractFacts): string {
  const fixed = 'The price is fixed for the whole contract.'
  return price.shares.length === 1
    ? `${fixed} You are the only tenant, so you pay all of it.`
    : `${fixed} It is split equally between the ${price.shares.length} tenants. Odd pence are shared out one at a time, so the prices of any two tenants, and the VAT in them, differ by a penny at most.`
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
