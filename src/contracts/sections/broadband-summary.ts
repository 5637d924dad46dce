import { formatPounds, sumPence } from '../../platform/kernel/money.ts'
import { periodText } from '../../platform/kernel/period-text.ts'
import { type TenantLine, tenantLines } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Detail, Section } from '../document.ts'
import { printable } from '../printable.ts'
import { textFor } from '../terms/conditional-text.ts'
import { detail, heading, headingWithTerms, onOneLine, paragraph } from './blocks.ts'

/** The contract summary for broadband, in the order that the telecoms rules require (General Conditions, C1). */
export function broadbandSection(facts: ContractFacts, key: string): Section {
  const { trader } = facts.operator
  const { words } = facts.terms
  const lines = tenantLines(facts, key)
  return {
    id: key,
    heading: 'Broadband: contract summary',
    blocks: [
      paragraph('The main points of your broadband, which the law requires us to summarise.'),
      heading('Provider'),
      paragraph(
        `Your contract is with ${onOneLine([trader.name, trader.phone, trader.email])}. Section 2 says who supplies the line.`,
      ),
      heading('Services and equipment'),
      { kind: 'list', items: lines.map(({ household }) => printable(household.name)) },
      ...textFor(facts, words.broadbandEquipment).map(paragraph),
      heading('Speeds, and what you can do if your broadband is slower'),
      ...speeds(facts),
      ...textFor(facts, words.minimumServiceQuality).map(paragraph),
      heading('Price'),
      paragraph(priceSentence(lines)),
      heading('Duration, renewal and ending'),
      ...duration(lines),
      ...headingWithTerms(facts, 'Features for users with disabilities', words.featuresForDisabledUsers),
      heading('Other information'),
      paragraph('The sections below say how to cancel, complain and get help.'),
    ],
  }
}

function speeds({ broadbandProducts }: ContractFacts): Block[] {
  const items = broadbandProducts.filter(({ kind }) => kind === 'line').flatMap(speedsOf)
  return items.length === 0 ? [] : [{ kind: 'details', items }]
}

function speedsOf({ speedMbps, speeds: stated }: ContractFacts['broadbandProducts'][number]): Detail[] {
  const download = detail('Download', `${speedMbps} Mbps`)
  if (stated === undefined) {
    return [download, detail('Other speeds', 'The provider has not stated the upload, normal and minimum speeds')]
  }
  return [
    download,
    detail('Upload', `${stated.uploadMbps} Mbps`),
    detail('Normally available', `${stated.normalMbps} Mbps download. Expect this at most times of the day`),
    detail('Minimum', `${stated.minimumMbps} Mbps download. The provider guarantees at least this`),
  ]
}

function priceSentence(lines: readonly TenantLine[]): string {
  const [month, setup, total] = (['monthlyCost', 'setupCost', 'totalCost'] as const).map((figure) =>
    formatPounds(sumPence(lines.map(({ own }) => own[figure]))),
  )
  const once = lines.some(({ own }) => own.setupCost > 0) ? `, and ${setup} once for set-up` : ''
  return `The price is ${month} per month${once}: you pay ${total} for the whole contract, including VAT. The price does not change.`
}

function duration(lines: readonly TenantLine[]): Block[] {
  return lines
    .slice(0, 1)
    .map(({ household }) =>
      paragraph(
        `A fixed term: ${periodText(household.startDate, household.endDate)}. Section 5 says how you can leave early and what happens after the last day.`,
      ),
    )
}
