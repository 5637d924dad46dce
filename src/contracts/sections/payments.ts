import { countInWords, dayInWords, ordinal } from '../../platform/kernel/in-words.ts'
import { formatPounds, sumPence } from '../../platform/kernel/money.ts'
import { billingMonthStart } from '../../quoting/pricing/billing-months.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { Block, Section } from '../document.ts'
import { printable } from '../printable.ts'
import { depositInWords, latePaymentInWords } from '../terms/fees-in-words.ts'
import { heading, headingWithText, paragraph, section } from './blocks.ts'
import { furtherCharges } from './prices.ts'

/** How to pay, what each tenant is liable for, and deposits: Schedule 2 (j) and (u). */
export function paymentsSection(facts: ContractFacts): Section {
  const { price, terms } = facts
  return section('payments', 'When and how you pay', [
    paragraph(whenTaken(facts)),
    paymentTable(facts),
    heading(price.shares.length === 1 ? 'What you are liable for' : 'You are liable for your own share only'),
    paragraph(liability(facts)),
    heading('Paying late'),
    ...latePaymentInWords(terms).map(paragraph),
    ...headingWithText('Deposits and guarantees', depositInWords(terms)),
  ])
}

/** Only the first payments can be for time that has begun: their notice was not over when it did. */
function whenTaken({ payments, price, property }: ContractFacts): string {
  const { billingDay } = price
  const weekend = `If that day is a weekend or a bank holiday in ${property.nation}, we take it on the next working day. The period it pays for stays the same.`
  if (payments.length === 1)
    return `We take one payment from the card you registered, on the ${ordinal(billingDay)} of a month. ${weekend}`
  const late = payments.filter(({ date, periodStart }) => periodStart < billingMonthStart(date, billingDay)).length
  const begun =
    late === 0
      ? ''
      : late === 1
        ? ' The first is for a period that began before that day.'
        : ` The first ${countInWords(late)} are for periods that began before that day.`
  const others = late === 0 ? 'Each' : 'Each other'
  const inAdvance = late === payments.length ? '' : ` ${others} is in advance: its period begins on that day or later.`
  return `We take each payment from the card you registered, on the ${ordinal(billingDay)} of a month.${begun}${inAdvance} ${weekend}`
}

function paymentTable({ payments }: ContractFacts): Block {
  return {
    kind: 'table',
    caption: 'Your payments',
    columns: [
      { heading: 'Taken on', holds: 'label' },
      { heading: 'What it pays for', holds: 'words' },
      { heading: 'Amount', holds: 'figure' },
    ],
    rows: payments.map(({ date, description, amount }) => [
      dayInWords(date),
      printable(description),
      formatPounds(amount),
    ]),
    total: ['Total', countOf(payments.length), formatPounds(sumPence(payments.map(({ amount }) => amount)))],
  }
}

function countOf(payments: number): string {
  return payments === 1 ? 'One payment' : `${payments} payments`
}

function liability(facts: ContractFacts): string {
  const total = formatPounds(tenantShare(facts).totalCost)
  const more = furtherCharges(facts).length === 0 ? 'and nothing more' : 'and more only where section 3 says so'
  return facts.price.shares.length === 1
    ? `You owe ${total}, ${more}. You are not liable for anyone else.`
    : `You owe your own share, ${total}, ${more}. You do not have to pay the share of another tenant, and no other tenant has to pay yours. If another tenant pays late or not at all, your payments stay the same.`
}
