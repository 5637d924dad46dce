import { type Contract, isCancellableOn } from '../../contracts/contract.ts'
import { servicesWithMeter } from '../../contracts/meter-readings/meter-reading.ts'
import { type Html, html, scrollBox } from '../../platform/http/pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { scheduleOf } from '../before-signing/done.page.ts'
import { hasEnergy } from '../before-signing/steps.ts'
import type { TenantPage, Visit } from '../visit.ts'
import { words } from '../words.ts'

const text = words.home

/** The contract as it is now, its payments, and everything that a tenant can do about it. */
export const homePage: TenantPage = {
  name: 'home',
  needs: 'code',
  when: 'after signing',
  async show(visit) {
    const { contract, card, path } = visit
    if (contract === null) return { goTo: path('done') }
    const { heading, sentence } = stateOf(contract)
    return {
      title: heading,
      body: html`<h1>${heading}</h1><p>${sentence}</p>
<dl class="rows">
<div><dt>${text.number}</dt><dd>${contract.contractNumber}</dd></div>
<div><dt>${text.term}</dt><dd>${words.welcome.fromTo(contract.startsOn, lastDayOf(contract))}</dd></div>
${card === null ? null : html`<div><dt>${text.card}</dt><dd>${text.cardEnding(card.last4)}</dd></div>`}
</dl>
${await payments(visit)}
<h2>${text.menu}</h2>
<nav class="menu" aria-label="${text.menu}"><ul>${menuOf(visit, contract).map(
        ([page, label]) => html`<li><a href="${path(page)}">${label}</a></li>`,
      )}</ul></nav>`,
    }
  },
}

function stateOf(contract: Contract): { heading: string; sentence: string } {
  const { status, endsOn, endedOn } = contract
  const state = text.states[status]
  return { heading: state.heading, sentence: state.sentence(dayInWords(endedOn ?? endsOn)) }
}

/** What can be done in this state, as page and words. */
function menuOf(visit: Visit, contract: Contract): [page: string, label: string][] {
  const { caller, quote, customerId, psrGivenAt } = visit
  const isInForce = contract.status === 'in_force'
  const isBinding = isInForce || contract.status === 'agreed'
  const mayCancel = isBinding && isCancellableOn(contract, londonDate(caller.now))
  const bought = new Set<string>((contract.price?.lines ?? []).map(({ type }) => type))
  const hasMeter = contract.effectiveAt !== null && servicesWithMeter.some((service) => bought.has(service))
  const replacement = quote.tenants.find(({ replaces }) => replaces === customerId)
  const entries: [boolean, string, string][] = [
    [true, 'contract-html', text.contract],
    [true, 'contract-pdf', text.contractPdf],
    [isBinding, 'calendar.ics', words.done.calendar],
    [contract.status === 'agreed', 'household', words.done.household],
    [true, 'card', text.changeCard],
    [true, 'details', text.changeDetails],
    [isBinding && (hasEnergy(visit) || psrGivenAt !== null), 'extra-help', words.needs.title],
    [hasMeter, 'meter-readings', words.readings.title],
    [mayCancel, 'cancel', contract.status === 'agreed' ? words.cancel.withdrawTitle : words.cancel.title],
    [isInForce && replacement === undefined, 'hand-over', words.handOver.title],
    [replacement !== undefined && isInForce, 'hand-over', words.handOver.progressTitle],
    [isInForce && contract.endedOn === null, 'leave', words.leave.title],
    [true, 'complaints', words.complaints.title],
  ]
  return entries.filter(([isOffered]) => isOffered).map(([, page, label]) => [page, label])
}

async function payments(visit: Visit): Promise<Html> {
  const { payments: planned, refund } = await scheduleOf(visit)
  if (planned.length === 0) return html``
  const today = londonDate(visit.caller.now)
  const rows = planned.map(
    ({ date, amount, status }) =>
      html`<tr><td>${dayInWords(date)}</td><td>${status === 'planned' && date < today ? text.statuses.due : text.statuses[status]}</td><td class="sum">${formatPounds(amount)}</td></tr>`,
  )
  const head = html`<thead><tr><th scope="col">${words.payments.day}</th><th scope="col">${text.status}</th><th scope="col" class="sum">${words.payments.amount}</th></tr></thead>`
  const paidBack = refund === null ? null : html`<p>${words.ending.refund(refund.amount, refund.date)}</p>`
  const table = html`<table><caption>${words.payments.caption}</caption>${head}<tbody>${rows}</tbody></table>`
  return html`${paidBack}${scrollBox(words.payments.caption, table)}`
}
