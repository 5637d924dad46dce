import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { boughtServicesInWords } from '../bought-services.ts'
import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { printable } from '../printable.ts'
import { contractNumber, isDraft } from './agreement.ts'
import { onOneLine } from './blocks.ts'

/** The model cancellation form of Schedule 3 part B, filled in as far as possible. */
export function cancellationFormSection(facts: ContractFacts): Section {
  const { trader } = facts.operator
  const number = contractNumber(facts)
  return {
    id: 'form',
    heading: 'Model cancellation form',
    blocks: [
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
    ],
  }
}
