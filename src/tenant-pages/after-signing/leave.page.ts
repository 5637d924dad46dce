import { type EndCause, publicCauses } from '../../contracts/contract.ts'
import { endContract, findPossibleLastDays, type PossibleLastDays } from '../../contracts/termination/end-contract.ts'
import { causesToAskFor, readEndRequest, requestEnd } from '../../contracts/termination/request-end.ts'
import { endContractRoute } from '../../contracts/termination/termination.route.ts'
import { tenancyEndsInWords } from '../../contracts/terms/fees-in-words.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { type IsoDate, isIsoDate, isoDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { isJointAssuredInEngland } from '../../quoting/quotes/tenancy.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { endingInWords, figuresOf, hasNotBegun, requireFigures } from './ending.ts'

const text = words.leave

/** Notice before the end of the contract: first what it costs, and only then the notice. */
export const leavePage: TenantPage = {
  name: 'leave',
  needs: 'code',
  when: 'after signing',
  problems: problemsIn(endContractRoute, {
    '/endDate': text.problem,
    '/reason': text.reasonProblem,
    '/comment': text.comment,
  }),
  async show(visit, form) {
    const { session, path } = visit
    const { deps, contract, caller } = visit
    const days = contract === null ? undefined : await findPossibleLastDays(deps.db, contract, caller.now)
    if (days === undefined) return { goTo: path('home') }
    const wanted = visit.query.get('on')
    const reason = reasonIn(visit.query.get('why'))
    const isWrong = form.problemOf('endDate') !== undefined || form.problemOf('reason') !== undefined
    const isDay = wanted !== null && (isIsoDate(wanted) || reason === 'tenancy_did_not_start')
    if (!isDay || reason === undefined || isWrong) {
      const value = visit.query.get('day') ?? ''
      const options = [
        ...reasons.map((each) => ({ value: each, label: text.reasons[each] })),
        ...causesToAskFor.map((each) => ({ value: each, label: text.causes[each], group: text.askGroup })),
      ]
      const fields = html`${choiceField(form, { name: 'reason', label: text.reason, hint: text.reasonHint, type: 'radio', options })}
${dateField(form, { name: 'endDate', label: text.day, hint: text.dayHint, value })}
${textField(form, { name: 'comment', label: text.comment, maxLength: 500 })}`
      const body = html`<h1>${text.title}</h1>${await asked(visit)}<p>${text.intro}</p>${isJointAssuredInEngland(visit.quote) ? html`<p>${text.jointTenancy}</p>` : null}
${days.firstOfTenancy === null ? null : html`<p>${tenancyEndsInWords(visit.quote.tenants.length)} ${text.longAgo}</p>`}<p>${text.responsible}</p>
${possible(days, path('leave'))}${formOf(session.formToken, fields, text.work)}`
      return { title: text.title, back: path('home'), body }
    }
    const ended = await end(visit, { endDate: wanted, reason })
    return confirmPage(visit, {
      title: hasNotBegun(ended.contract) ? text.beforeTitle : text.confirmTitle(dayInWords(lastDayOf(ended.contract))),
      back: path('leave'),
      consequences: html`${endingInWords(ended)}
<p>${text.binding}${visit.quote.tenants.length > 1 ? ` ${words.cancel.others}` : ''}</p>`,
      figures: figuresOf(ended),
      hidden: { confirmed: wanted, reason },
      button: text.button,
      stay: { text: text.stay, path: path('home') },
    })
  },
  async submit(visit, form) {
    const confirmed = form.text('confirmed')
    const cause = causesToAskFor.find((each) => each === form.text('reason'))
    if (cause !== undefined) return ask(visit, form, cause)
    const reason = reasonIn(form.text('reason'))
    if (reason === undefined) throw new FormRejected([{ field: 'reason', text: text.reasonMissing }])
    const neverBegan = reason === 'tenancy_did_not_start'
    if (isIsoDate(confirmed) || (neverBegan && confirmed === 'never')) {
      await end(visit, { endDate: confirmed, reason }, form)
      return { goTo: visit.path('home'), notice: 'notice_received' }
    }
    const day = neverBegan ? 'never' : form.date('endDate')
    if (day === null || day === 'wrong') throw new FormRejected([{ field: 'endDate', text: text.problem }])
    const days = visit.contract && (await findPossibleLastDays(visit.deps.db, visit.contract, visit.caller.now))
    if (!neverBegan && reason !== 'other' && day < (days?.firstOfTenancy ?? '')) return ask(visit, form, reason)
    // Says now what is wrong with the day, beside its field.
    await end(visit, { endDate: day, reason })
    return `${visit.path('leave')}?on=${day}&why=${reason}`
  },
}

/** The days that can be chosen, as links that fill the field. */
function possible({ first, last, freeFrom, firstOfTenancy }: PossibleLastDays, path: string): Html {
  const link = (day: IsoDate) => html`<a href="${path}?day=${day}">${dayInWords(day)}</a>`
  const tenancy =
    firstOfTenancy === null
      ? null
      : html` ${text.ifTenancyEnds} <a href="${path}?day=${firstOfTenancy}">${dayInWords(firstOfTenancy)}</a>.`
  if (first > last) return html`<p>${tenancy}</p>`
  const free =
    freeFrom === null ? null : freeFrom === first ? html` ${text.free}` : html` ${text.freeFrom} ${link(freeFrom)}.`
  return html`<p>${text.from} ${link(first)} ${text.to} ${link(last)}.${free}${tenancy}</p>`
}

/** What the tenant asked us, and what we answered. Never why: others may look over their shoulder. */
async function asked({ deps, caller, customerId, contract }: Visit): Promise<Html | null> {
  const { request } = await readEndRequest(deps, caller, customerId)
  if (request === null || request.contractNumber !== contract?.contractNumber) return null
  if (request.outcome === 'ended') return null
  const said = request.answer === null ? text.asked(request.dueOn) : text.answered(request.answer)
  return html`<div class="notice"><p>${said}</p></div>`
}

/** Asks the operator to end the contract, which goes on until then. */
async function ask(visit: Visit, form: Form, cause: EndCause) {
  const lastDay = form.date('endDate')
  if (lastDay === null || lastDay === 'wrong') throw new FormRejected([{ field: 'endDate', text: text.problem }])
  const comment = form.text('comment')
  const said = comment === '' ? {} : { comment }
  checkedBody(endContractRoute, { endDate: lastDay, reason: cause, ...said }, visit)
  const { deps, caller, customerId, path } = visit
  await requestEnd(deps, caller, customerId, { cause, lastDay: isoDate(lastDay), comment: said.comment ?? null })
  return { goTo: path('leave'), notice: 'end_requested' } as const
}

/** What a tenant can choose as the reason of an end that is theirs to give. */
const reasons = [...publicCauses, 'other'] as const
type Reason = (typeof reasons)[number]

function reasonIn(given: string | null): Reason | undefined {
  return reasons.find((each) => each === given)
}

/**
 * Gives notice if the tenant was shown what that costs; without a form, only works it out. No day counts if the tenancy
 * did not start.
 */
function end(visit: Visit, { endDate: day, reason }: { endDate: string; reason: Reason }, form?: Form) {
  const endDate = isIsoDate(day) ? day : undefined
  checkedBody(endContractRoute, endDate === undefined ? { reason } : { endDate, reason }, visit)
  const { deps, caller, customerId } = visit
  return endContract(deps, caller, customerId, {
    endDate,
    reason,
    dryRun: form === undefined,
    require: form === undefined ? undefined : (ended) => requireFigures(form, ended),
    sentOn: undefined,
    informedOn: undefined,
  })
}
