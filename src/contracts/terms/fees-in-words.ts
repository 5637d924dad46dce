import { countInWords, percentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { printableParagraphs } from '../printable.ts'
import type { AgreedTerms } from './agreed-terms.ts'
import type { EarlyExitTerms, LatePaymentTerms } from './fee-terms.ts'

/**
 * What the terms say about leaving early, one paragraph each: the operator's figures in words, else its own text, else
 * that nothing is agreed. Never promises what the terms do not contain.
 */
export function earlyExitInWords({ earlyExit, words }: AgreedTerms): string[] {
  if (earlyExit !== undefined) return exitSentences(earlyExit)
  if (words.endingEarly !== undefined) return printableParagraphs(words.endingEarly)
  return [
    'These terms do not say how to end the contract early, apart from your right to cancel. If you want to leave before the last day, ask us.',
  ]
}

/** What the terms say about failed payments, one paragraph each; as `earlyExitInWords`. */
export function latePaymentInWords({ latePayment, words }: AgreedTerms): string[] {
  if (latePayment !== undefined) return [lateSentences(latePayment)]
  if (words.latePayment !== undefined) return printableParagraphs(words.latePayment)
  return ['If a payment fails, we tell you. These terms set no charge for paying late.']
}

/** What the terms say about deposits and other guarantees. */
export function depositInWords({ words }: AgreedTerms): string {
  return words.deposit ?? 'None. We ask for no deposit and no other guarantee.'
}

function exitSentences(terms: EarlyExitTerms): string[] {
  const { noticeDays, unpaidSetUpIsDue, noFeeInLastDays } = terms
  const notice =
    noticeDays === 0
      ? 'You can end your contract early. It can end on the day you tell us, or on any later day.'
      : `You can end your contract early. Tell us at least ${noticeDays} days before the day on which it is to end.`
  const setUp = unpaidSetUpIsDue
    ? 'If you have not paid for set-up yet, you still pay for it.'
    : 'If you have not paid for set-up yet, you do not have to.'
  const fee = feeInWords(terms)
  if (fee === null) return [`${notice} You pay for the time up to your last day. There is no exit fee. ${setUp}`]
  return [
    `${notice} You pay for the time up to your last day, and an exit fee of ${fee}. ${setUp}`,
    `There is no exit fee if ${noFeeInLastDays} days or fewer are left after your last day, or if you leave because we broke the contract. The fee is never more than your monthly price for the whole months that are left.`,
  ]
}

/** The exit fee, or null if there is none. */
function feeInWords({ feePence, feePencePerMonthLeft = 0, maximumFeePence, vatRate }: EarlyExitTerms): string | null {
  const parts = [
    ...(feePence > 0 ? [pounds(feePence)] : []),
    ...(feePencePerMonthLeft > 0 ? [`${pounds(feePencePerMonthLeft)} for each whole month that is left`] : []),
  ]
  if (parts.length === 0 || maximumFeePence === 0) return null
  const most = maximumFeePence === undefined ? '' : `, at most ${pounds(maximumFeePence)}`
  return `${parts.join(' plus ')}${most}${vatInWords(vatRate)}`
}

function lateSentences({ retryAfterWorkingDays, freeFailures, feePence, vatRate }: LatePaymentTerms): string {
  const days = retryAfterWorkingDays === 1 ? 'one working day' : `${countInWords(retryAfterWorkingDays)} working days`
  const retry = `If a payment fails, we tell you by e-mail and try your card again after ${days}.`
  if (feePence === 0) return `${retry} A failed payment costs you nothing.`
  const fee = `${pounds(feePence)}${vatInWords(vatRate)}`
  if (freeFailures === 0) return `${retry} Each failed payment costs ${fee}.`
  const free =
    freeFailures === 1
      ? 'The first failed payment costs'
      : `The first ${countInWords(freeFailures)} failed payments cost`
  return `${retry} ${free} nothing. Each further one costs ${fee}.`
}

function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

function vatInWords(rate: string): string {
  return Number(rate) === 0 ? '' : `, including ${percentInWords(rate)} VAT`
}
