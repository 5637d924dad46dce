import { addDays, type IsoDate, londonDate } from '../../../kernel/dates.ts'
import { formatPounds } from '../../../kernel/money.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { KeyFact } from '../document.ts'
import { countInWords, dayInWords } from '../in-words.ts'
import { printable } from '../printable.ts'

/** The length of the cancellation period, counted from the day after acceptance (Regulations 2013, reg. 30). */
export const cancellationDays = 14

/** The last day on which the tenant may cancel without giving a reason. */
export function lastDayToCancel({ acceptedAt }: ContractFacts): IsoDate {
  return addDays(londonDate(acceptedAt), cancellationDays)
}

/** The facts at the top of the document: what the tenant pays, when and for how long, and how to cancel. */
export function keyFacts(facts: ContractFacts): KeyFact[] {
  return [whatYouPay(facts), whenYouPay(facts), howLong(facts), howToCancel(facts), whatYouOwe(facts)]
}

function whatYouPay(facts: ContractFacts): KeyFact {
  const share = tenantShare(facts)
  const tenants = facts.price.shares.length
  const whose =
    tenants === 1
      ? 'You are the only tenant, so this is the whole price.'
      : `This is your equal share, one of ${countInWords(tenants)}.`
  const setup =
    share.setupCost > 0 ? `, including VAT and set-up of ${formatPounds(share.setupCost)}` : ', including VAT'
  return {
    label: 'You pay',
    value: `${formatPounds(share.monthlyCost)} per month`,
    note: `${whose} It is ${formatPounds(share.totalCost)} for the whole contract${setup}.`,
  }
}

function whenYouPay({ payments }: ContractFacts): KeyFact {
  const [first, ...later] = payments
  const last = later.at(-1)
  if (first === undefined) throw new RangeError('the contract has no payments')
  const value = `${formatPounds(first.amount)} on ${dayInWords(first.date)}`
  if (last === undefined) {
    return { label: 'One payment', value, note: 'We take it from your card. There are no more payments after that.' }
  }
  return {
    label: 'First payment',
    value,
    note: `We then take a payment from your card each month. The last, ${formatPounds(last.amount)}, is on ${dayInWords(last.date)}.`,
  }
}

function howLong({ price }: ContractFacts): KeyFact {
  return {
    label: 'Contract',
    value: `${dayInWords(price.contractStartDate)} to ${dayInWords(price.contractEndDate)}`,
    note: 'A fixed term at a fixed price. The price does not depend on your meter readings.',
  }
}

function howToCancel(facts: ContractFacts): KeyFact {
  const { email, phone } = facts.operator.trader
  return {
    label: 'If you change your mind',
    value: `Until the end of ${dayInWords(lastDayToCancel(facts))}`,
    note: `You can cancel without giving a reason. Write to ${printable(email)} or call ${printable(phone)}.`,
  }
}

function whatYouOwe({ price }: ContractFacts): KeyFact {
  return {
    label: 'Responsibility',
    value: 'Your own share only',
    note:
      price.shares.length === 1
        ? 'You do not owe anything for any other person.'
        : "You never owe another tenant's share, even if they do not pay.",
  }
}
