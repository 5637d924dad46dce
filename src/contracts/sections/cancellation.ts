import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { cancellationDays, lastDayOfRightToCancel } from '../../quoting/quotes/quote-policy.ts'
import { boughtSectionKeys, boughtServicesInWords, capitalised, sectionOf, serviceRowOf } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { printable } from '../printable.ts'
import { broadbandOnly, textFor } from '../terms/conditional-text.ts'
import { detail, emailDetail, heading, headingWithTerms, onOneLine, paragraph, phoneDetail, section } from './blocks.ts'
import { contractNumber, isDraft, lastDayToCancel, waitsForOthers } from './pre-contract-information.ts'

/** The right to cancel: Schedule 2 (l) to (o), and regulations 29 to 36, in everyday words. */
export function cancellationSection(facts: ContractFacts): Section {
  const { trader } = facts.operator
  return section('cancel', 'Your right to cancel', [
    paragraph(`You have the right to cancel this contract within ${cancellationDays} days without giving any reason.`),
    { kind: 'notice', text: cancellationPeriod(facts) },
    paragraph(
      `To cancel, tell us clearly that you want to. You can cancel on your pages, send an e-mail to ${printable(trader.email)}, call ${printable(trader.phone)}, or write to ${onOneLine([trader.name, ...trader.address])}. You can use the form in the next section, but you do not have to. You are in time if you send your message before the period ends.`,
    ),
    heading('What happens when you cancel'),
    paragraph(
      `${whatWePayBack(facts)} We do so without undue delay, and at the latest ${cancellationDays} days after the day on which you tell us. The money goes back to the card you paid with, unless you agree to another way. This costs you nothing. ${othersAreUnaffected(facts)}`,
    ),
    heading('Supply before the period ends'),
    paragraph(facts.earlySupplyRequested ? requested : notRequested),
    heading('When you lose the right to cancel'),
    paragraph(losingTheRight(facts)),
    ...headingWithTerms(facts, 'Returning equipment', facts.terms.words.returningEquipment, broadbandOnly),
  ])
}

/** What is owed all the same: early supply, and what failed payments cost. */
function whatWePayBack({ earlySupplyRequested, terms: { latePayment, words } }: ContractFacts): string {
  const costsIfLate = latePayment === undefined ? words.latePayment !== undefined : latePayment.feePence > 0
  const kept = [
    ...(earlySupplyRequested ? ['what you owe for supply that began at your request'] : []),
    ...(costsIfLate ? ['charges for failed payments'] : []),
  ]
  return `We pay back everything you have paid us${kept.length === 0 ? '' : `, except ${listInWords(kept)}`}.`
}

/** A supply of gas or electricity never ends the right early (CCR 2013, reg. 36(2)). */
function losingTheRight(facts: ContractFacts): string {
  if (facts.price.lines.some((line) => serviceRowOf(line, facts).metered !== null)) return neverLosesRight
  return endsWithinPeriod(facts) ? losesRight : keepsRight
}

const neverLosesRight = 'You do not lose this right before the period ends, even if everything was supplied.'

/**
 * Whether the contract is over before the tenant's right to cancel is, as one that takes over the last days of a share
 * can be.
 */
function endsWithinPeriod({ acceptedAt, price }: ContractFacts): boolean {
  return price.contractEndDate <= lastDayOfRightToCancel(londonDate(acceptedAt))
}

const keepsRight =
  'You would lose the right to cancel only if you had asked us to supply everything in the contract before the period ended, and we had done so. Your contract is longer than that, so you keep the right until the period ends.'

const losesRight =
  'You have asked us to supply everything in the contract before the period ends. When we have done so, at the end of the contract’s last day, you lose the right to cancel.'

function cancellationPeriod(facts: ContractFacts): string {
  const lastDay = lastDayToCancel(facts)
  if (lastDay !== null) {
    return `The contract took effect when you accepted it, on ${momentInWords(facts.acceptedAt)}. The ${cancellationDays} days are counted from the next day. You can cancel until the end of ${dayInWords(lastDay)}.`
  }
  const when = waitsForOthers(facts) ? 'every tenant of your household has accepted' : 'you accept'
  return `The contract takes effect when ${when}. The ${cancellationDays} days are counted from the day after that. You can cancel until the end of the last of them. Before the contract takes effect, you can withdraw at any time and pay nothing.`
}

function othersAreUnaffected({ price }: ContractFacts): string {
  return price.shares.length === 1
    ? 'Cancelling also ends everything you added to the contract.'
    : 'Cancelling ends your own contract and everything you added to it. No other tenant has to pay your share.'
}

const requested =
  'You have expressly asked us to begin supply before the cancellation period ends, if a service’s first day falls within it. If you cancel after supply has begun, you pay in proportion to what has been supplied until you told us, compared with the whole contract.'

const notRequested =
  'You have not asked us to begin supply before the cancellation period ends. If you cancel in time, you pay nothing for anything supplied before you told us.'

/** The model cancellation form of Schedule 3 part B, filled in as far as possible. */
export function cancellationFormSection(facts: ContractFacts): Section {
  const { trader } = facts.operator
  const number = contractNumber(facts)
  return section('form', 'Model cancellation form', [
    {
      kind: 'form',
      instruction: 'Complete and return this form only if you wish to cancel the contract.',
      addresseeLabel: 'To',
      addressee: [onOneLine([trader.name, ...trader.address]), onOneLine([trader.email, trader.phone])],
      statement: `I hereby give notice that I cancel my contract for the supply of the following service: ${boughtServicesInWords(facts)}${number === null ? '' : `, contract number ${number}`}.`,
      fields: [
        { label: 'Ordered on', lines: isDraft(facts) ? [] : [dayInWords(londonDate(facts.acceptedAt))] },
        { label: 'Name of consumer', lines: [printable(facts.tenant.name)] },
        { label: 'Address of consumer', lines: [onOneLine(facts.property.addressLines)] },
        { label: 'Signature of consumer (only if this form is notified on paper)', lines: [] },
        { label: 'Date', lines: [] },
      ],
    },
  ])
}

/** Where to send complaints, and who decides disputes: Schedule 2 (e), (k) and (x). */
export function complaintsSection(facts: ContractFacts): Section {
  const { complaints } = facts.operator
  return section('complaints', 'Complaints and independent redress', [
    ...textFor(facts, complaints.procedure).map(paragraph),
    {
      kind: 'details',
      items: [
        detail('Write to', onOneLine(complaints.address)),
        emailDetail('E-mail', complaints.email),
        phoneDetail('Phone', complaints.phone),
      ],
    },
    heading('Independent redress'),
    {
      kind: 'details',
      items: boughtSectionKeys(facts).map((key) =>
        detail(capitalised(sectionOf(facts, key).name), ...(complaints[`${key}Ombudsman`] ?? '').split('\n')),
      ),
    },
  ])
}
