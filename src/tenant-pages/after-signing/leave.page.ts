import { endContractRoute } from '../../contracts/termination/end-contract.route.ts'
import { endContract } from '../../contracts/termination/end-contract.ts'
import { html } from '../../platform/http/pages/html.ts'
import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { checkedBody } from '../checked-body.ts'
import { dateField } from '../layout/fields.ts'
import { type Form, FormRejected } from '../layout/form.ts'
import { formOf } from '../layout/page.ts'
import type { TenantPage, Visit } from '../visit.ts'
import { words } from '../words.ts'
import { endingInWords, requireShown, shownFigures } from './ending.ts'

const text = words.leave

/** Notice before the end of the contract: first what it costs, and only then the notice. */
export const leavePage: TenantPage = {
  name: 'leave',
  needs: 'code',
  when: 'after signing',
  problems: { '/endDate': { field: 'endDate', text: text.problem } },
  async show(visit, form) {
    const { session, path } = visit
    if (visit.contract?.status !== 'in_force' || visit.contract.endedOn !== null) return { goTo: path('home') }
    const wanted = visit.query.get('on')
    if (wanted === null || !isIsoDate(wanted) || form.problemOf('endDate') !== undefined) {
      const day = dateField(form, { name: 'endDate', label: text.day, hint: text.dayHint })
      const body = html`<h1>${text.title}</h1><p>${text.intro}</p>${formOf(session.formToken, day, text.work)}`
      return { title: text.title, back: path('home'), body }
    }
    const ended = await end(visit, wanted)
    const day = html`${shownFigures(ended)}<input type="hidden" name="confirmed" value="${wanted}">`
    const body = html`<h1>${text.confirmTitle(dayInWords(wanted))}</h1>${endingInWords(ended)}
<p>${text.binding}${visit.quote.tenants.length > 1 ? ` ${words.cancel.others}` : ''}</p>${formOf(session.formToken, day, text.button)}
<p><a href="${path('home')}">${text.stay}</a></p>`
    return { title: text.confirmTitle(dayInWords(wanted)), back: path('leave'), body }
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

/** Gives notice if the tenant was shown what that costs; without a form, only works it out. */
function end(visit: Visit, endDate: IsoDate, form?: Form) {
  checkedBody(endContractRoute, { endDate }, visit)
  const { deps, caller, customerId } = visit
  return endContract(deps, caller, customerId, {
    endDate,
    dryRun: form === undefined,
    require: form === undefined ? undefined : (ended) => requireShown(form, ended),
    reason: undefined,
    sentOn: undefined,
    informedOn: undefined,
  })
}
