import { periodText } from '../../payments/plan/period-text.ts'
import type { PricedLine } from '../../pricing/price.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { dayInWords } from '../in-words.ts'
import { boughtInWords } from '../services.ts'
import { detail, paragraph } from './blocks.ts'

/** The main characteristics and the time of performance: Schedule 2 (a) and (j). */
export function purchaseSection(facts: ContractFacts): Section {
  const { price } = facts
  return {
    id: 'what',
    heading: 'What you are buying',
    blocks: [
      paragraph(
        `Your household takes ${boughtInWords(facts)} at your home, and you agree to pay your own share of it.`,
      ),
      {
        kind: 'details',
        items: price.lines.map((line) =>
          detail(line.name, ...characteristics(line, facts), periodText(line.startDate, line.endDate)),
        ),
      },
      paragraph(
        `We undertake to provide each service from the first day shown for it until the last. The contract itself begins on ${dayInWords(price.contractStartDate)}.`,
      ),
    ],
  }
}

function characteristics(line: PricedLine, { operator, property, broadbandProducts }: ContractFacts): string[] {
  const supplier = operator.suppliers[line.type].name
  switch (line.type) {
    case 'electricity':
      return [`Electricity for the whole home, from ${supplier}`, `Meter point (MPAN): ${property.mpan ?? 'none'}`]
    case 'gas':
      return [`Gas for the whole home, from ${supplier}`, `Meter point (MPRN): ${property.mprn ?? 'none'}`]
    case 'broadband': {
      const product = broadbandProducts.find(({ productId }) => productId === line.productId)
      if (product?.kind === 'addon') return [`Broadband add-on, from ${supplier}`]
      return [`Broadband for the whole home, from ${supplier}`, ...(product ? [`${product.speedMbps} Mbps`] : [])]
    }
  }
}
