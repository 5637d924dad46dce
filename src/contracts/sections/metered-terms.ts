import { formatPounds, sumPence } from '../../platform/kernel/money.ts'
import { listInWords, periodText } from '../../platform/kernel/period-text.ts'
import { capitalised, type TenantLine, tenantLines } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { printable } from '../printable.ts'
import { detail, paragraph } from './blocks.ts'

/**
 * The principal terms of metered services: charges, duration, ending, fees and deposit. Energy suppliers must point
 * them out to customers. Says where the document has the details, so that nothing is stated twice.
 */
export function meteredSection(facts: ContractFacts, key: string, name: string): Section {
  const { price } = facts
  const lines = tenantLines(facts, key)
  return {
    id: key,
    heading: `${capitalised(name)}: the principal terms`,
    blocks: [
      paragraph(`The main terms of your ${listInWords(lines.map(({ household }) => household.type))} in one place.`),
      {
        kind: 'details',
        items: [
          detail(
            'Charges',
            ...lines.map(charge),
            'These prices are fixed and include VAT. They are based on assumed usage and do not depend on your meter readings.',
          ),
          detail(
            'Duration',
            `A fixed term ${facts.termInWords}: ${periodText(price.contractStartDate, price.contractEndDate)}.`,
          ),
          detail(
            'Ending',
            'Section 5 says how you can leave early, what that costs, and what happens after the last day.',
          ),
          detail('Fees', ...fees(facts, lines, name)),
          detail('Deposit', facts.terms.words.deposit === undefined ? 'None' : 'Section 4 says which one we ask for.'),
        ],
      },
    ],
  }
}

function charge({ household, own }: TenantLine): string {
  return `${printable(household.name)}: ${formatPounds(own.monthlyCost)} per month.`
}

function fees({ terms }: ContractFacts, lines: readonly TenantLine[], name: string): string[] {
  const lateIsFree = terms.latePayment?.feePence === 0 || (terms.latePayment ?? terms.words.latePayment) === undefined
  const hasSetup = lines.some(({ own }) => own.setupCost > 0)
  if (lateIsFree && !hasSetup) return ['None']
  return [setupFees(lines, name), ...(lateIsFree ? [] : ['Section 4 says what happens if a payment fails.'])]
}

function setupFees(lines: readonly TenantLine[], name: string): string {
  const own = sumPence(lines.map((line) => line.own.setupCost))
  return own === 0
    ? `There is no set-up fee for ${name}.`
    : `Set-up costs you ${formatPounds(own)}. You pay it once, with your first payment.`
}
