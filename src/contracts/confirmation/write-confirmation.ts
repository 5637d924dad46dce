import type { PlannedPayment } from '../../payments/plan/payment-plan.ts'
import { addDays, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { cancellationDays } from '../../platform/kernel/limits.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { capitalised } from '../bought-services.ts'
import type { MailContent } from '../mails/tenant-mails.store.ts'
import type { OperatorFile } from '../operator-file.ts'
import { printable } from '../printable.ts'
import { writeLetter } from '../tenant-letter.ts'

/** What a confirmation tells. */
export interface ConfirmationFacts {
  tenantName: string
  contractNumber: string
  addressLines: readonly string[]
  /** The services that the household buys, such as "electricity". */
  services: readonly string[]
  effectiveAt: Date
  startsOn: PlannedPayment['date']
  endsOn: PlannedPayment['date']
  /** Whether the household has other tenants. */
  isShared: boolean
  /** The first payment that is planned; undefined if there is none. */
  firstPayment: Pick<PlannedPayment, 'date' | 'amount'> | undefined
  operator: OperatorFile
  environment: 'sandbox' | 'live'
}

/**
 * The confirmation that a contract is in force (CCR 2013, reg. 16), which goes with the contract as a PDF: since when,
 * until when the tenant can cancel and what happens next. Pure: the same facts give the same words.
 */
export function writeConfirmation(facts: ConfirmationFacts): MailContent {
  const { contractNumber, effectiveAt, startsOn, endsOn, firstPayment, operator } = facts
  const { name, address, phone, email } = operator.trader
  const cancelUntil = dayInWords(addDays(londonDate(effectiveAt), cancellationDays))
  const subject = `Your contract ${contractNumber} is in force`
  const paragraphs = [
    `Your contract with ${printable(name)} for your household bills is in force.${facts.isShared ? ' Every tenant of your household has accepted.' : ''} The contract is attached as a PDF. Please keep it with this e-mail.`,
    lines([
      `Contract number: ${contractNumber}`,
      `Home: ${facts.addressLines.map(printable).join(', ')}`,
      `Services: ${capitalised(listInWords(facts.services))}`,
      `In force since: ${momentInWords(effectiveAt)}`,
      `First day: ${dayInWords(startsOn)}`,
      `Last day: ${dayInWords(endsOn)}`,
      `You can cancel until the end of: ${cancelUntil}`,
    ]),
    'YOUR RIGHT TO CANCEL',
    `You can cancel without giving any reason until the end of ${cancelUntil}. If we first sent you this e-mail later than on the day on which the contract took effect, you can cancel until the end of the ${cancellationDays}th day after we sent it.`,
    `To cancel, tell us clearly that you want to: send an e-mail to ${printable(email)}, call ${printable(phone)}, or write to ${[name, ...address].map(printable).join(', ')}. You are in time if you send your message before the period ends. The attached contract has a form that you can use, and says under “Your right to cancel” what you get back and what you pay if supply has begun by then.`,
    'WHAT HAPPENS NEXT',
    lines([
      ...[
        { date: startsOn, text: 'Your contract begins to run.' },
        ...(firstPayment === undefined
          ? []
          : [
              {
                date: firstPayment.date,
                text: `We take your first payment, ${formatPounds(firstPayment.amount)}, from your card. The contract lists the payments after it.`,
              },
            ]),
      ]
        .sort((a, b) => a.date.localeCompare(b.date))
        .map(({ date, text }) => `${dayInWords(date)}: ${text}`),
    ]),
    'If you have a question, reply to this e-mail or call us.',
  ]
  return writeLetter({ ...facts, subject, paragraphs })
}

function lines(all: readonly string[]): string {
  return all.join('\n')
}
