import type { Contract } from '../../contracts/contract.ts'
import type { EndedContract } from '../../contracts/termination/cancel-under-lock.ts'
import type { Form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { descriptionList } from '../../pages/lists.ts'
import { requireShown } from '../../pages/shown-figures.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { words } from '../words.ts'

/** What a tenant owes or gets back in the end, to the penny, in words. */
export function endingInWords({ contract, settlement }: EndedContract): Html {
  const text = words.ending
  const { supplyCost, setUpCost, fee, reduction, total, alreadyPaid, waived, owedAgain, lateFees } = settlement
  const { refund, refundBy, due, lastPayment, feePayment } = settlement
  const planned = pence(due - (lastPayment?.amount ?? 0) - (feePayment?.amount ?? 0))
  const rows = [
    ...(hasNotBegun(contract) ? [] : [[text.lastDay, dayInWords(lastDayOf(contract))]]),
    [text.supply, formatPounds(supplyCost)],
    ...(setUpCost > 0 ? [[text.setUp, formatPounds(setUpCost)]] : []),
    [text.fee, fee === 0 ? text.none : formatPounds(fee)],
    ...(reduction > 0 ? [[text.reduction, `−${formatPounds(reduction)}`]] : []),
    [text.total, formatPounds(total)],
    [text.paid, formatPounds(alreadyPaid)],
    ...(waived > 0 ? [[text.waived, formatPounds(waived)]] : []),
    ...(owedAgain > 0 ? [[text.owedAgain, formatPounds(owedAgain)]] : []),
    ...(lateFees > 0 ? [[text.lateFees, formatPounds(lateFees)]] : []),
  ]
  const sentences = [
    ...(refund > 0
      ? [text.refund(refund, refundBy)]
      : due === 0
        ? [owedAgain + lateFees > 0 ? text.nothingBesides : text.nothing]
        : []),
    ...(planned > 0 ? [text.asPlanned(planned)] : []),
    ...(lastPayment === null ? [] : [text.lastPayment(lastPayment.amount, lastPayment.date)]),
    ...(feePayment === null ? [] : [text.feePayment(feePayment.amount, feePayment.date)]),
  ]
  const sentence = sentences.join(' ')
  // Where nothing was supplied or paid, figures of £0.00 would say no more than the sentence.
  if (total + alreadyPaid + lateFees === 0) return html`<p id="figures"><strong>${sentence}</strong></p>`
  return html`${descriptionList(rows, 'figures')}<p><strong>${sentence}</strong></p>`
}

/** Whether the contract is over before its first day. */
export function hasNotBegun(contract: Contract): boolean {
  return lastDayOf(contract) < contract.startsOn
}

/** The figures as a form carries them. */
export function figuresOf({ contract: { status, endedOn, endReason }, settlement }: EndedContract): unknown {
  return [status, endedOn, endReason, settlement]
}

/** Throws unless these are the figures that the tenant was shown. Called under the lock. */
export function requireFigures(form: Form, ended: EndedContract): void {
  requireShown(form, figuresOf(ended), words.ending.changed)
}
