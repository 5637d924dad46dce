import type { ContractFacts } from '../contract-facts.ts'
import type { Section } from '../document.ts'
import { dayInWords, momentInWords } from '../in-words.ts'
import { detail, emailDetail, heading, headingWithText, paragraph, phoneDetail } from './blocks.ts'
import { cancellationDays, lastDayToCancel } from './key-facts.ts'

/**
 * The right to cancel: Schedule 2 (l) to (o). Follows the model instructions of Schedule 3 part A, which a trader may rely on if
 * they are completed correctly (reg. 14 and 16).
 */
export function cancellationSection(facts: ContractFacts): Section {
  const { trader } = facts.operator
  const lastDay = dayInWords(lastDayToCancel(facts))
  return {
    id: 'cancel',
    heading: 'Your right to cancel',
    blocks: [
      paragraph(
        `You have the right to cancel this contract within ${cancellationDays} days without giving any reason.`,
      ),
      {
        kind: 'notice',
        text: `The cancellation period expires after ${cancellationDays} days from the day of the conclusion of the contract, ${momentInWords(facts.acceptedAt)}. This means that it ends at the end of ${lastDay}.`,
      },
      paragraph(
        'To exercise the right to cancel, you must inform us of your decision by a clear statement, for example a letter sent by post or an e-mail. You may use the model cancellation form in the next section, but it is not obligatory.',
      ),
      {
        kind: 'details',
        items: [
          detail('Write to', trader.name, ...trader.address),
          emailDetail('E-mail', trader.email),
          phoneDetail('Phone', trader.phone),
        ],
      },
      paragraph(
        'To meet the deadline, it is sufficient that you send your communication before the cancellation period has expired.',
      ),
      heading('What happens when you cancel'),
      paragraph(
        `If you cancel this contract, we reimburse all payments received from you. We do so without undue delay, and not later than ${cancellationDays} days after the day on which you inform us of your decision. We use the same means of payment as you used, unless you have expressly agreed otherwise; in any event, you incur no fees as a result.`,
      ),
      paragraph(
        'Cancelling ends your own contract and every contract that is ancillary to it. No other tenant becomes liable for your share.',
      ),
      heading('Supply during the cancellation period'),
      paragraph(facts.supplyDuringCancellation ? requested : notRequested),
      heading('When you lose the right to cancel'),
      paragraph(
        `You would lose the right to cancel only if, at your express request, we had supplied everything in the contract before the period ended. Your contract runs for longer than that, so you keep the right until the end of ${lastDay}.`,
      ),
      ...headingWithText('Returning equipment', facts.terms.words.returningEquipment),
    ],
  }
}

const requested =
  'You have expressly asked us to begin supply during the cancellation period if a service’s first day falls within it. If you cancel after supply has begun, you pay us an amount in proportion to what has been supplied until you told us of your decision, in comparison with the full coverage of the contract.'

const notRequested =
  'You have not asked us to begin supply during the cancellation period. If you cancel during this period, you pay nothing for anything supplied before you told us of your decision.'
