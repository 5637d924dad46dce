import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { countInWords, dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { periodText } from '../../platform/kernel/period-text.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import { lastDayOfRightToCancel } from '../../quoting/quotes/quote-policy.ts'
import {
  boughtSectionKeys,
  boughtServicesInWords,
  capitalised,
  notIncludedInWords,
  serviceRowOf,
  supplierOf,
} from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Block, Detail, Section } from '../document.ts'
import { printable } from '../printable.ts'
import {
  detail,
  emailDetail,
  heading,
  headingWithTerms,
  headingWithText,
  onOneLine,
  paragraph,
  phoneDetail,
  section,
  websiteDetail,
} from './blocks.ts'
import { exampleOfLeaving, leavingEarlyInWords } from './leaving-early.ts'

/** Whether this is a draft, which nobody has agreed to. */
export function isDraft({ agreement }: ContractFacts): boolean {
  return agreement?.draft === true
}

/** Whether the contract takes effect only when other tenants have accepted too. */
export function waitsForOthers({ agreement, price }: ContractFacts): boolean {
  if (agreement === undefined || agreement.takesOver || price.shares.length === 1) return false
  return agreement.draft || agreement.lapsesAfter !== null
}

/**
 * The last day on which the tenant may cancel without a reason; null if the day on which the contract takes effect is
 * not known yet.
 */
export function lastDayToCancel(facts: ContractFacts): IsoDate | null {
  return isDraft(facts) || waitsForOthers(facts) ? null : lastDayOfRightToCancel(londonDate(facts.acceptedAt))
}

/** The number that names the contract; null if it has none yet. */
export function contractNumber({ agreement, customerId }: ContractFacts): string | null {
  return agreement === undefined ? customerId : agreement.contractNumber
}

/** The document's subject in footers and metadata. */
export function documentReference(facts: ContractFacts): string {
  const number = contractNumber(facts)
  if (isDraft(facts)) return `Draft for quote ${facts.quoteId}`
  return number === null ? `Contract of quote ${facts.quoteId}` : `Contract ${number}`
}

/** When the contract takes effect, and until when everybody owes nothing. */
export function takesEffect(facts: ContractFacts): { when: string; untilThen: string } {
  const { agreement, price } = facts
  if (!waitsForOthers(facts)) return { when: 'When you accept', untilThen: 'Until then you owe nothing.' }
  const tenants = price.shares.length === 2 ? 'both tenants' : `all ${countInWords(price.shares.length)} tenants`
  const lapse =
    agreement?.lapsesAfter == null
      ? ''
      : ` If somebody has not accepted by the end of ${dayInWords(agreement.lapsesAfter)}, there is no contract and nobody pays.`
  return { when: `When ${tenants} have accepted`, untilThen: `Until then nobody owes anything.${lapse}` }
}

/** How long the contract lasts and how it ends: Schedule 2 (s) and (t). */
export function durationSection(facts: ContractFacts): Section {
  const { price, terms } = facts
  const lastDay = dayInWords(price.contractEndDate)
  return section('duration', 'How long it lasts and how it ends', [
    ...takingEffect(facts),
    {
      kind: 'details',
      items: [
        detail('First day', dayInWords(price.contractStartDate)),
        detail('Last day', `${lastDay}. This is also the end of the minimum term`),
      ],
    },
    paragraph(
      'You pay for each service from its first day to its last, unless you cancel in the cancellation period or the contract ends early as described here.',
    ),
    ...leavingEarly(facts),
    ...headingWithTerms(facts, 'After the last day', terms.words.atTheEnd),
  ])
}

function takingEffect(facts: ContractFacts): Block[] {
  if (!isDraft(facts) && !waitsForOthers(facts)) return []
  const { when, untilThen } = takesEffect(facts)
  const accepted = `${when.replace('When', 'The contract takes effect when')}.`
  return [heading('When it takes effect'), paragraph(`${accepted} ${untilThen}`)]
}

/** What leaving early costs: the terms in words, and an example with this contract's dates and price. */
function leavingEarly(facts: ContractFacts): Block[] {
  const example = exampleOfLeaving(facts)
  const paragraphs = [...leavingEarlyInWords(facts), ...(example === null ? [] : [example])]
  return [heading('Leaving early'), ...paragraphs.map(paragraph)]
}

/** The parties, and whom the trader acts for: Schedule 2 (b), (c), (d) and (i). */
export function partiesSection(facts: ContractFacts): Section {
  return section('who', 'Who the contract is with', [
    heading('You'),
    { kind: 'details', items: tenantDetails(facts) },
    heading('Us'),
    { kind: 'details', items: [...traderDetails(facts), pagesDetail(facts), privacyDetail(facts)] },
    ...headingWithText('Who we act for', facts.operator.trader.role),
  ])
}

function tenantDetails(facts: ContractFacts): Detail[] {
  const { tenant, property, quoteId } = facts
  const number = contractNumber(facts)
  return [
    detail('Name', tenant.name),
    emailDetail('E-mail', tenant.email),
    detail('Home', onOneLine(property.addressLines)),
    ...(number === null ? [] : [detail('Contract number', number)]),
    detail('Quote number', quoteId),
  ]
}

function traderDetails({ operator: { trader } }: ContractFacts): Detail[] {
  const { companyNumber, vatNumber } = trader
  return [
    detail(
      'Name',
      trader.name,
      onOneLine([trader.legalName, ...(companyNumber === undefined ? [] : [`company number ${companyNumber}`])]),
      ...(vatNumber === undefined ? [] : [`VAT number ${vatNumber}`]),
    ),
    detail('Address', onOneLine(trader.address)),
    phoneDetail('Phone', trader.phone),
    emailDetail('E-mail', trader.email),
    ...(trader.website === undefined ? [] : [websiteDetail('Website', trader.website)]),
    detail('Cost of contacting us', trader.costOfContact),
  ]
}

function pagesDetail({ pagesAddress }: ContractFacts): Detail {
  const term = 'To see or change your contract'
  const address = printable(pagesAddress)
  return { term, lines: [`Go to ${address}: we send a link to the e-mail address that you gave us`], link: address }
}

function privacyDetail({ privacyAddress }: ContractFacts): Detail {
  const address = printable(privacyAddress)
  return { term: 'How we use your data', lines: [address], link: address }
}

/** The main characteristics, when supply starts and who supplies each service: Schedule 2 (a) and (j). */
export function purchaseSection(facts: ContractFacts): Section {
  const { lines } = facts.price
  return section('what', 'What you are buying', [
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
    paragraph(
      'We provide each service from the first day shown for it until the last. We do not make your tenancy depend on this, and you may choose your own suppliers instead.',
    ),
  ])
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

/** Conformity, after-sales service and codes of conduct: Schedule 2 (p), (q) and (r). */
export function serviceSection(facts: ContractFacts): Section {
  const { words } = facts.terms
  const isInSummary = boughtSectionKeys(facts).includes('broadband')
  const equipment = isInSummary ? ' We supply equipment as agreed and without faults.' : ''
  return section('service', 'What you can expect of us', [
    paragraph(
      `We are under a legal duty to supply every service with reasonable care and skill and as this document describes it.${equipment}`,
    ),
    ...(isInSummary ? [] : headingWithTerms(facts, 'Service quality', words.minimumServiceQuality)),
    ...headingWithTerms(facts, 'Help after you buy', words.afterSales),
    ...headingWithTerms(facts, 'Codes of conduct', words.codesOfConduct),
  ])
}

/** The operator's clauses, with the version of the terms that the tenant accepted and the time of acceptance. */
export function termsSection(facts: ContractFacts): Section {
  const { terms, acceptedAt } = facts
  const version = printable(terms.version)
  return section('terms', 'Terms', [
    paragraph(
      isDraft(facts)
        ? `This contract uses version ${version} of our terms. You accept them together with the contract.`
        : `You accepted these terms, version ${version}, on ${momentInWords(acceptedAt)}.`,
    ),
    ...terms.words.clauses.flatMap(({ heading, ...clause }) => headingWithTerms(facts, printable(heading), [clause])),
  ])
}
