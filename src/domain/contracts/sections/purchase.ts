import { periodText } from '../../payments/plan/period-text.ts'
import type { PricedLine } from '../../pricing/price.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { dayInWords } from '../in-words.ts'
import { boughtServicesInWords, capitalised, serviceRowOf, supplierOf } from '../services.ts'
import { detail, paragraph } from './blocks.ts'

/** The main characteristics and when supply starts: Schedule 2 (a) and (j). */
export function purchaseSection(facts: ContractFacts): Section {
  const { price } = facts
  return {
    id: 'what',
    heading: 'What you are buying',
    blocks: [
      paragraph(
        `Your household takes ${boughtServicesInWords(facts)} at your home, and you agree to pay your own share of it.`,
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

function characteristics(line: PricedLine, facts: ContractFacts): string[] {
  const { property, broadbandProducts } = facts
  const { metered } = serviceRowOf(line, facts)
  const supplier = supplierOf(line.type, facts).name
  const wholeHome = `${capitalised(line.type)} for the whole home, from ${supplier}`
  if (metered !== null) {
    const { meter } = metered
    return meter === null ? [wholeHome] : [wholeHome, `Meter point (${meter.name}): ${property[meter.field] ?? 'none'}`]
  }
  const product = broadbandProducts.find(({ productId }) => productId === line.productId)
  if (product?.kind === 'addon') return [`${capitalised(line.type)} add-on, from ${supplier}`]
  return [wholeHome, ...(product ? [`${product.speedMbps} Mbps`] : [])]
}
