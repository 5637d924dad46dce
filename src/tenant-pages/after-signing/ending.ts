import type { EndedContract } from '../../contracts/termination/cancel-contract.ts'
import { type Html, html } from '../../platform/http/pages/html.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { words } from '../words.ts'

/** What a tenant owes or gets back in the end, to the penny, in words. */
export function endingInWords({ contract, settlement }: EndedContract): Html {
  const text = words.ending
  const { supplyCost, setUpCost, fee, total, alreadyPaid, refund, refundBy, due, lastPayment } = settlement
  const rows = [
    [text.lastDay, dayInWords(contract.endedOn ?? lastDayOf(contract))],
    [text.supply, formatPounds(supplyCost)],
    ...(setUpCost > 0 ? [[text.setUp, formatPounds(setUpCost)]] : []),
    [text.fee, fee === 0 ? text.none : formatPounds(fee)],
    [text.total, formatPounds(total)],
    [text.paid, formatPounds(alreadyPaid)],
  ]
  const sentence =
    refund > 0
      ? text.refund(refund, refundBy)
      : lastPayment !== null
        ? text.lastPayment(lastPayment.amount, lastPayment.date)
        : due > 0
          ? text.asPlanned(due)
          : text.nothing
  return html`<dl class="rows">${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl><p><strong>${sentence}</strong></p>`
}
