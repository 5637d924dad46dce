import { capitalised } from '../../contracts/bought-services.ts'
import { type Contract, isBinding } from '../../contracts/contract.ts'
import { isCustomerHeld } from '../../contracts/deaths/read-death-reports.ts'
import { servicesWithMeter } from '../../contracts/meter-readings/meter-reading.ts'
import type { Schedule, ScheduledPayment } from '../../contracts/preview/scheduled-payments.ts'
import { listSupply } from '../../contracts/supply/supply-in-words.ts'
import { canBeCancelled } from '../../contracts/termination/cancel-contract.ts'
import { findPossibleLastDays } from '../../contracts/termination/end-contract.ts'
import { failureInWords } from '../../contracts/terms/fees-in-words.ts'
import { latePaymentTermsOf } from '../../contracts/terms/late-payment-terms-of.ts'
import { type Html, html } from '../../pages/html.ts'
import { type Column, dataTable, descriptionList } from '../../pages/lists.ts'
import { type AfterFailure, findAfterFailure } from '../../payments/collecting/after-failure.ts'
import { isoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { envelopeLines } from '../../quoting/quotes/quote.ts'
import { scheduleOf } from '../before-signing/done.page.ts'
import { hasEnergy, isPrepaid } from '../before-signing/steps.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasNotBegun } from './ending.ts'
import { isMovingOut } from './moving-out.page.ts'

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
    const schedule = await scheduleOf(visit)
    const failures = await failuresOf(visit, contract, schedule)
    const lastDays = await findPossibleLastDays(visit.deps.db, contract, visit.caller.now)
    const term = hasNotBegun(contract)
      ? text.neverBegan(contract.startsOn, contract.endsOn)
      : words.welcome.fromTo(contract.startsOn, lastDayOf(contract))
    const supply = isBinding(contract) ? await listSupply(visit.deps.db, visit.quote, visit.caller.now) : []
    const isHeld = await isCustomerHeld(visit.deps, visit.caller, visit.customerId)
    const rows = [
      [text.home, envelopeLines(visit.quote.address).join(', ')],
      ...costs(visit, contract, { ...schedule, failures }),
      [text.number, contract.contractNumber],
      [text.term, term],
      ...supply,
      ...(card === null ? [] : [[text.card, text.cardEnding(card.last4)]]),
    ]
    return {
      title: heading,
      body: html`<h1>${heading}</h1>${
        isHeld && html`<div class="notice"><p>${words.death.held(visit.deps.operator.trader.phone)}</p></div>`
      }<p>${sentence}</p>
${isBinding(contract) && isPrepaid(visit) ? html`<p class="notice">${words.doNotTopUp}</p>` : null}
${isBinding(contract) && visit.quote.meter?.heating === 'heat_network' ? html`<p>${words.heatNetwork}</p>` : null}
${descriptionList(rows)}
${payments(visit, { ...schedule, failures })}
<h2>${text.menu}</h2>
<nav class="menu" aria-label="${text.menu}"><ul>${menuOf(visit, contract, lastDays !== undefined).map(
        ([page, label]) => html`<li><a href="${path(page)}">${label}</a></li>`,
      )}</ul></nav>`,
    }
  },
}

/** What the tenant gets and, while the contract binds them, what they pay and when next. */
function costs({ caller, customerId }: Visit, contract: Contract, { payments: planned, failures }: Known): string[][] {
  const { price } = contract
  if (price === null) return []
  const bought = serviceNames().filter((service) => price.lines.some(({ type }) => type === service))
  const services = [text.services, capitalised(listInWords(bought))]
  if (!isBinding(contract)) return [services]
  const today = londonDate(caller.now)
  const [next] = planned
    .map(({ entryId, date, amount, status }) => ({
      day: status === 'planned' ? date : (failures.get(entryId ?? '')?.retryOn ?? ''),
      amount,
    }))
    .filter(({ day }) => day >= today)
    .sort((one, other) => one.day.localeCompare(other.day))
  return [
    services,
    [text.price, words.price(shareOf(price, customerId), planned.length)],
    [text.next, next === undefined ? text.noNext : words.welcome.on(next.amount, isoDate(next.day))],
  ]
}

function stateOf(contract: Contract): { heading: string; sentence: string } {
  const { status } = contract
  const state = text.states[status]
  const day = dayInWords(lastDayOf(contract))
  const sentence = status === 'ended' && hasNotBegun(contract) ? text.endedBefore(day) : state.sentence(day)
  return { heading: state.heading, sentence }
}

/** What can be done in this state, as page and words. */
function menuOf(visit: Visit, contract: Contract, mayLeave: boolean): [page: string, label: string][] {
  const { caller, quote, customerId, psrGivenAt } = visit
  const isInForce = contract.status === 'in_force'
  const binds = isBinding(contract)
  const mayCancel = canBeCancelled(contract, londonDate(caller.now))
  const bought = new Set<string>((contract.price?.lines ?? []).map(({ type }) => type))
  const hasMeter = contract.effectiveAt !== null && servicesWithMeter.some((service) => bought.has(service))
  const replacement = quote.tenants.find(({ replaces }) => replaces === customerId)
  const hasHousemates = quote.tenants.filter(({ contractStatus }) => contractStatus === 'in_force').length > 1
  const entries: [boolean, string, string][] = [
    [true, 'contract-html', text.contract],
    [true, 'contract-pdf', text.contractPdf],
    [binds, 'calendar.ics', words.done.calendar],
    [contract.status === 'agreed', 'household', words.done.household],
    [true, 'card', text.changeCard],
    [true, 'details', text.changeDetails],
    [binds && (hasEnergy(visit) || psrGivenAt !== null), 'extra-help', words.needs.title],
    [hasMeter, 'meter-readings', words.readings.title],
    [isMovingOut(contract, caller.now), 'moving-out', words.movingOut.title],
    [mayCancel, 'cancel', contract.status === 'agreed' ? words.cancel.withdrawTitle : words.cancel.title],
    [isInForce && replacement === undefined, 'hand-over', words.handOver.title],
    [replacement !== undefined && isInForce, 'hand-over', words.handOver.progressTitle],
    [mayLeave, 'leave', words.leave.title],
    [isInForce && hasHousemates, 'tenancy-end', words.tenancyEnd.title],
    [isInForce && contract.endSetBy === 'tenant', 'keep', words.keep.title],
    [true, 'complaints', words.complaints.title],
  ]
  return entries.filter(([isOffered]) => isOffered).map(([, page, label]) => [page, label])
}

function payments({ caller }: Visit, { payments: planned, refund, refunds, failures }: Known): Html {
  const toPayBack = refund === null ? null : html`<p>${words.ending.refund(refund.amount, refund.date)}</p>`
  if (planned.length === 0 && refunds.length === 0) return html`${toPayBack}`
  const today = londonDate(caller.now)
  const statusOf = ({ entryId, date, status }: ScheduledPayment) => {
    if (status === 'planned' && date < today) return text.statuses.due
    const { retryOn = null } = failures.get(entryId ?? '') ?? {}
    return retryOn === null ? text.statuses[status] : text.retried(retryOn)
  }
  const rows = [
    ...planned.map((payment) => ({
      date: payment.date,
      status: `${payment.kind === 'fee' ? `${payment.description}: ` : ''}${statusOf(payment)}`,
      amount: formatPounds(payment.amount),
    })),
    ...refunds.map(({ date, amount, status, description }) => ({
      date,
      status: `${description}: ${text.refundStatuses[status]}`,
      amount: `−${formatPounds(amount)}`,
    })),
  ]
  const told = planned.map(({ entryId, amount, date }) => {
    const after = failures.get(entryId ?? '')
    return after && html`<div class="notice bad"><p>${text.failure(amount, date)} ${failureInWords(after)}</p></div>`
  })
  const { caption, day, amount } = words.payments
  const columns: Column<(typeof rows)[number]>[] = [
    { heading: day, cell: ({ date }) => dayInWords(date) },
    { heading: text.status, cell: ({ status }) => status },
    { heading: amount, cell: (row) => row.amount, holds: 'figures' },
  ]
  return html`${told}${toPayBack}${dataTable({ caption, columns }, rows)}`
}

/** The schedule, and what follows each payment that failed. */
type Known = Schedule & { failures: ReadonlyMap<string, AfterFailure> }

async function failuresOf(visit: Visit, contract: Contract, { payments }: Schedule): Promise<Known['failures']> {
  const failures = new Map<string, AfterFailure>()
  for (const { entryId, status } of payments) {
    const after = entryId !== null && status === 'failed' ? await afterFailure(visit, contract, entryId) : undefined
    if (entryId !== null && after !== undefined) failures.set(entryId, after)
  }
  return failures
}

async function afterFailure({ deps, caller, customer }: Visit, { contractNumber }: Contract, entryId: Id<'entry'>) {
  const { partnerId, now } = caller
  const terms = await latePaymentTermsOf(deps.db, partnerId, contractNumber)
  return findAfterFailure(deps.db, { partnerId, entryId, terms, lastError: customer.lastPaymentError, now })
}
