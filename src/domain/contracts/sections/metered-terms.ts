import { formatPounds, sumPence } from '../../../kernel/money.ts'
import { listInWords, periodText } from '../../payments/plan/period-text.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { printable } from '../printable.ts'
import { capitalised } from '../services.ts'
import { type TenantLine, tenantLines } from '../tenant-lines.ts'
import { earlyExitInWords, latePaymentInWords } from '../terms/fees-in-words.ts'
import { heading, headingWithText, operatorParagraphs, paragraph } from './blocks.ts'

/**
 * The principal terms of metered services: charges, duration, ending, fees and deposit. Energy suppliers must point them out to
 * customers.
 */
export function meteredSection(facts: ContractFacts, key: string, name: string): Section {
  const { price, terms } = facts
  const lines = tenantLines(facts, key)
  return {
    id: key,
    heading: `${capitalised(name)}: the principal terms`,
    blocks: [
      paragraph(`The main terms of your ${listInWords(lines.map(({ household }) => household.type))} in one place.`),
      heading('Charges'),
      paragraph(
        'You pay a fixed price each month, including VAT. It is based on assumed usage and does not depend on your meter readings.',
      ),
      { kind: 'list', items: lines.map(charge) },
      heading('Duration'),
      paragraph(`A fixed term: ${periodText(price.contractStartDate, price.contractEndDate)}.`),
      heading('Ending'),
      ...earlyExitInWords(terms).map(paragraph),
      ...operatorParagraphs(terms.words.atTheEnd),
      heading('Fees'),
      paragraph(setupFees(lines, name)),
      ...latePaymentInWords(terms).map(paragraph),
      ...headingWithText('Deposit', terms.words.deposit),
    ],
  }
}

function charge({ household, own }: TenantLine): string {
  const monthly = `${formatPounds(own.monthlyCost)} per month for you, out of ${formatPounds(household.monthlyCost)} for the household`
  const whole = `${formatPounds(own.totalCost)} for you, out of ${formatPounds(household.totalCost)}`
  return `${printable(household.name)}: ${monthly}. For the whole contract, ${whole}.`
}

function setupFees(lines: readonly TenantLine[], name: string): string {
  const household = sumPence(lines.map((line) => line.household.setupCost))
  const own = sumPence(lines.map((line) => line.own.setupCost))
  return household === 0
    ? `There is no set-up fee for ${name}.`
    : `Set-up costs ${formatPounds(own)} for you, out of ${formatPounds(household)} for the household. It is paid once, with your first payment, and is part of the totals above.`
}
