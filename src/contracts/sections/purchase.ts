import { periodText } from '../../platform/kernel/period-text.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import { boughtServicesInWords, capitalised, notIncludedInWords, serviceRowOf, supplierOf } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { detail, onOneLine, paragraph } from './blocks.ts'

/** The main characteristics, when supply starts and who supplies each service: Schedule 2 (a) and (j). */
export function purchaseSection(facts: ContractFacts): Section {
  const { lines } = facts.price
  return {
    id: 'what',
    heading: 'What you are buying',
    blocks: [
      paragraph(
        facts.price.shares.length === 1
          ? `You take ${boughtServicesInWords(facts)} at your home.`
          : `Your household takes ${boughtServicesInWords(facts)} at your home, and you agree to pay your own share of it.`,
      ),
      ...notIncludedInWords(facts).map((text) => ({ kind: 'notice', text }) as const),
      {
        kind: 'details',
        items: lines.map((line, index) => {
          const isFirstOfService = lines.findIndex(({ type }) => type === line.type) === index
          return detail(line.name, ...characteristics(line, facts), ...(isFirstOfService ? supplier(line, facts) : []))
        }),
      },
      paragraph('We provide each service from the first day shown for it until the last.'),
    ],
  }
}

function characteristics(line: PricedLine, facts: ContractFacts): string[] {
  const { property, broadbandProducts } = facts
  const { metered } = serviceRowOf(line, facts)
  const product = broadbandProducts.find(({ productId }) => productId === line.productId)
  const what =
    product?.kind === 'addon' ? `${capitalised(line.type)} add-on` : `${capitalised(line.type)} for the whole home`
  const speed = product?.kind === 'line' ? ` at ${product.speedMbps} Mbps` : ''
  const meter = metered?.meter
  return [
    `${what}${speed}, ${periodText(line.startDate, line.endDate)}`,
    ...(meter ? [`Meter point (${meter.name}): ${property[meter.field] ?? 'none'}`] : []),
  ]
}

function supplier({ type }: PricedLine, facts: ContractFacts): string[] {
  const { name, address, phone } = supplierOf(type, facts)
  return [`Supplied by ${onOneLine([name, address, phone])}`]
}
