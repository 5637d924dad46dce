import { formatPounds, sumPence } from '../../../kernel/money.ts'
import { periodText } from '../../payments/plan/period-text.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { printable } from '../printable.ts'
import { supplierOf } from '../services.ts'
import { type TenantLine, tenantLines } from '../tenant-lines.ts'
import { earlyExitInWords } from '../terms/fees-in-words.ts'
import { detail, heading, headingWithText, operatorParagraphs, paragraph, phoneDetail } from './blocks.ts'
import { figureColumn } from './price-tables.ts'

/** The contract summary for broadband, in the order that the telecoms rules require. */
export function broadbandSection(facts: ContractFacts, key: string): Section {
  const terms = facts.terms.words
  const supplier = supplierOf('broadband', facts)
  const lines = tenantLines(facts, key)
  return {
    id: key,
    heading: 'Broadband: contract summary',
    blocks: [
      paragraph(
        'The main points of your broadband contract, which the law requires us to summarise. The other sections give more detail.',
      ),
      heading('Provider'),
      {
        kind: 'details',
        items: [
          detail('Name', supplier.name),
          detail('Address', supplier.address),
          phoneDetail('Phone', supplier.phone),
        ],
      },
      heading('Services and equipment'),
      { kind: 'list', items: lines.map(({ household }) => printable(household.name)) },
      ...operatorParagraphs(terms.broadbandEquipment),
      heading('Speeds, and what you can do if your broadband is slower'),
      ...speeds(facts),
      ...operatorParagraphs(terms.minimumServiceQuality),
      heading('Price'),
      priceTable(lines),
      paragraph(priceSentence(lines)),
      heading('Duration, renewal and ending'),
      ...duration(lines),
      ...earlyExitInWords(facts.terms).map(paragraph),
      ...operatorParagraphs(terms.atTheEnd),
      ...headingWithText('Features for users with disabilities', terms.featuresForDisabledUsers),
      heading('Other information'),
      ...operatorParagraphs(terms.afterSales),
    ],
  }
}

function speeds({ broadbandProducts }: ContractFacts): Block[] {
  const lines = broadbandProducts.filter(({ kind }) => kind === 'line')
  if (lines.length === 0) return []
  return [
    {
      kind: 'details',
      items: lines.map(({ name, speedMbps }) => detail(name, `${speedMbps} Mbps download`)),
    },
    paragraph('This is the speed that the provider quoted for your address when the product was chosen.'),
  ]
}

function priceTable(lines: readonly TenantLine[]): Block {
  return {
    kind: 'table',
    caption: 'Broadband, including VAT',
    columns: [
      { heading: 'Product', holds: 'words' },
      ...['You, per month', 'Household, per month', 'You, set-up'].map(figureColumn),
    ],
    rows: lines.map(({ household, own }) => [
      printable(household.name),
      formatPounds(own.monthlyCost),
      formatPounds(household.monthlyCost),
      formatPounds(own.setupCost),
    ]),
    total: [
      'Total',
      formatPounds(sumPence(lines.map(({ own }) => own.monthlyCost))),
      formatPounds(sumPence(lines.map(({ household }) => household.monthlyCost))),
      formatPounds(sumPence(lines.map(({ own }) => own.setupCost))),
    ],
  }
}

function priceSentence(lines: readonly TenantLine[]): string {
  const own = sumPence(lines.map((line) => line.own.totalCost))
  const household = sumPence(lines.map((line) => line.household.totalCost))
  return `For the whole contract, including set-up, broadband costs you ${formatPounds(own)}, out of ${formatPounds(household)} for the household. The price does not change during the contract.`
}

function duration(lines: readonly TenantLine[]): Block[] {
  return lines
    .slice(0, 1)
    .map(({ household }) => paragraph(`A fixed term: ${periodText(household.startDate, household.endDate)}.`))
}
