import { endContract, findPossibleLastDays, type PossibleLastDays } from '../../contracts/termination/end-contract.ts'
import { endContractRoute } from '../../contracts/termination/termination.route.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { dateField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
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
  problems: problemsIn(endContractRoute, { '/endDate': text.problem }),
  async show(visit, form) {
    const { session, path } = visit
    const { deps, contract, caller } = visit
    const days = contract === null ? undefined : await findPossibleLastDays(deps.db, contract, caller.now)
    if (days === undefined) return { goTo: path('home') }
    const wanted = visit.query.get('on')
    if (wanted === null || !isIsoDate(wanted) || form.problemOf('endDate') !== undefined) {
      const value = visit.query.get('day') ?? ''
      const day = dateField(form, { name: 'endDate', label: text.day, hint: text.dayHint, value })
      const body = html`<h1>${text.title}</h1><p>${text.intro}</p>${isJointAssuredInEngland(visit.quote) ? html`<p>${text.jointTenancy}</p>` : null}${possible(days, path('leave'))}${formOf(session.formToken, day, text.work)}`
      return { title: text.title, back: path('home'), body }
    }
    const ended = await end(visit, wanted)
    return confirmPage(visit, {
      title: hasNotBegun(ended.contract) ? text.beforeTitle : text.confirmTitle(dayInWords(wanted)),
      back: path('leave'),
      consequences: html`${endingInWords(ended)}
<p>${text.binding}${visit.quote.tenants.length > 1 ? ` ${words.cancel.others}` : ''}</p>`,
      figures: figuresOf(ended),
      hidden: { confirmed: wanted },
      button: text.button,
      stay: { text: text.stay, path: path('home') },
    })
  },
  async submit(visit, form) {
    const confirmed = form.text('confirmed')
    if (isIsoDate(confirmed)) {
      await end(visit, confirmed, form)
      return { goTo: visit.path('home'), notice: 'notice_received' }
    }
    const day = form.date('endDate')
    if (day === null || day === 'wrong') throw new FormRejected([{ field: 'endDate', text: text.problem }])
    // Says now what is wrong with the day, beside its field.
    await end(visit, day)
    return `${visit.path('leave')}?on=${day}`
  },
}

/** The days that can be chosen, as links that fill the field. */
function possible({ first, last, freeFrom }: PossibleLastDays, path: string): Html {
  const link = (day: IsoDate) => html`<a href="${path}?day=${day}">${dayInWords(day)}</a>`
  const free =
    freeFrom === null ? null : freeFrom === first ? html` ${text.free}` : html` ${text.freeFrom} ${link(freeFrom)}.`
  return html`<p>${text.from} ${link(first)} ${text.to} ${link(last)}.${free}</p>`
}

/** Gives notice if the tenant was shown what that costs; without a form, only works it out. */
function end(visit: Visit, endDate: IsoDate, form?: Form) {
  checkedBody(endContractRoute, { endDate }, visit)
  const { deps, caller, customerId } = visit
  return endContract(deps, caller, customerId, {
    endDate,
    reason: 'other',
    dryRun: form === undefined,
    require: form === undefined ? undefined : (ended) => requireFigures(form, ended),
    sentOn: undefined,
    informedOn: undefined,
  })
}
