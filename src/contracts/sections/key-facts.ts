import type { PlannedPayment } from '../../payments/plan/plan-payments.ts'
import { countInWords, dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, type Pence } from '../../platform/kernel/money.ts'
import { cancellationDays } from '../../quoting/quotes/quote-policy.ts'
import { boughtServicesInWords, capitalised, notIncludedInWords, serviceRowOf } from '../bought-services.ts'
import { type ContractFacts, tenantShare } from '../contract-facts.ts'
import type { KeyFact } from '../document.ts'
import { printable } from '../printable.ts'
import { isFreeWhenTenancyEnds, tenancyEndsInWords } from '../terms/fees-in-words.ts'
import { onOneLine } from './blocks.ts'
import { isDraft, lastDayToCancel, takesEffect, waitsForOthers } from './pre-contract-information.ts'

/** The facts at the top of the document: what the tenant pays, when and for how long, and how to cancel. */
export function keyFacts(facts: ContractFacts): KeyFact[] {
  const isPending = isDraft(facts) || waitsForOthers(facts)
  return [
    whatYouPay(facts),
    whatYouGet(facts),
    whenYouPay(facts),
    howLong(facts),
    ...(isFreeWhenTenancyEnds(facts.terms)
      ? [
          {
            label: 'Moving out',
            value: 'No exit fee when your tenancy ends',
            note: tenancyEndsInWords(facts.price.shares.length),
          },
        ]
      : []),
    ...(isPending ? [whenItBinds(facts)] : []),
    howToCancel(facts),
  ]
}

function whatYouPay(facts: ContractFacts): KeyFact {
  const share = tenantShare(facts)
  const tenants = facts.price.shares.length
  const whole =
    tenants === 1
      ? 'You are the only tenant, so this is the whole price.'
      : `This is your equal share, one of ${countInWords(tenants)}. You never owe another tenant’s share.`
  const whose = facts.agreement?.takesOver
    ? `You take over the share of a tenant who leaves, at the same rates. ${whole}`
    : whole
  const setup =
    share.setupCost > 0 ? `, including VAT and set-up of ${formatPounds(share.setupCost)}` : ', including VAT'
  const [total, monthly] = [formatPounds(share.totalCost), formatPounds(share.monthlyCost)]
  // A price per month says little of one or two payments.
  return hasMonthlyPayments(facts)
    ? {
        label: 'You pay',
        value: `${monthly} per month`,
        note: `${whose} It is ${total} for the whole contract${setup}.`,
      }
    : {
        label: 'You pay',
        value: `${total} for the whole contract`,
        note: `${whose} The price is ${monthly} per month${share.setupCost > 0 ? `, and ${formatPounds(share.setupCost)} once for set-up` : ''}, including VAT.`,
      }
}

/** Whether the tenant pays more than twice, so that most payments are the monthly price. */
function hasMonthlyPayments({ payments }: Pick<ContractFacts, 'payments'>): boolean {
  return payments.length > 2
}

function whatYouGet(facts: ContractFacts): KeyFact {
  const home = `For your home, ${onOneLine(facts.property.addressLines)}.`
  return {
    label: 'You get',
    value: capitalised(boughtServicesInWords(facts)),
    note: [home, ...notIncludedInWords(facts)].join(' '),
  }
}

function whenYouPay(facts: ContractFacts): KeyFact {
  const [first, ...later] = facts.payments
  const last = later.at(-1)
  if (first === undefined) throw new RangeError('the contract has no payments')
  const value = `${formatPounds(first.amount)} on ${dayInWords(first.date)}`
  const { monthlyCost } = tenantShare(facts)
  const covers = explainFirst(first, monthlyCost)
  if (last === undefined) {
    return { label: 'One payment', value, note: `${covers} We take it from your card. There are no more payments.` }
  }
  return {
    label: 'First payment',
    value,
    note: `${covers} ${
      hasMonthlyPayments(facts)
        ? `We then take a payment from your card each month. The last, ${formatPounds(last.amount)}, is on ${dayInWords(last.date)}.`
        : `We then take one more payment from your card: ${formatPounds(last.amount)} on ${dayInWords(last.date)}.`
    }`,
  }
}

/** What the first payment pays for, which is why it is often more than a month's price. */
function explainFirst({ amount, description }: PlannedPayment, monthlyCost: Pence): string {
  if (amount === 0) return 'Nothing is due.'
  const what = printable(description).replace(/^Set-up/, 'set-up')
  // The odd penny of a month is no reason to explain.
  return amount > monthlyCost + 1
    ? `It is more than a month’s price, because it pays for ${what}.`
    : `It pays for ${what}.`
}

function howLong(facts: ContractFacts): KeyFact {
  const { price } = facts
  const isMetered = price.lines.some((line) => serviceRowOf(line, facts).metered !== null)
  return {
    label: 'Contract',
    value: `${capitalised(facts.termInWords)}: ${dayInWords(price.contractStartDate)} to ${dayInWords(price.contractEndDate)}`,
    note: `The price is fixed for all of this time.${isMetered ? ' It does not depend on your meter readings.' : ''}`,
  }
}

function whenItBinds(facts: ContractFacts): KeyFact {
  const { when, untilThen } = takesEffect(facts)
  return { label: 'It takes effect', value: when, note: untilThen }
}

function howToCancel(facts: ContractFacts): KeyFact {
  const { email, phone } = facts.operator.trader
  const lastDay = lastDayToCancel(facts)
  const begin = lastDay === null ? ' The days begin when the contract takes effect.' : ''
  return {
    label: 'If you change your mind',
    value: lastDay === null ? `${cancellationDays} days to cancel` : `Until the end of ${dayInWords(lastDay)}`,
    note: `You can cancel without giving a reason.${begin} You can cancel on your pages, write to ${printable(email)} or call ${printable(phone)}.`,
  }
}
