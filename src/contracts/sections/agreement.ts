import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { countInWords, dayInWords } from '../../platform/kernel/in-words.ts'
import { cancellationDays } from '../../platform/kernel/limits.ts'
import type { ContractFacts } from '../contract-facts.ts'

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
  return isDraft(facts) || waitsForOthers(facts) ? null : addDays(londonDate(facts.acceptedAt), cancellationDays)
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
