import { publicCauses } from '../../contracts/contract.ts'
import { type Answered, answerQuestion, findQuestionTo } from '../../contracts/household-end/answer-question.ts'
import { endHousehold, findSaidBy } from '../../contracts/household-end/end-household.ts'
import { answerTenancyEndRoute, endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import type { StoredQuestion } from '../../contracts/household-end/household-end.store.ts'
import { endAnswers } from '../../contracts/household-end/household-end.ts'
import type { EndedContract } from '../../contracts/termination/cancel-under-lock.ts'
import { problemsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { type IsoDate, isIsoDate, isoDate } from '../../platform/kernel/dates.ts'
import { causes, type TenantPage, type Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { endingInWords, figuresOf, requireFigures } from './ending.ts'

const text = words.tenancyEnd

/**
 * The end of the household's tenancy: a tenant answers whether it ends for them if they are asked, or tells us, and can
 * take back or change both. Nothing here shows who else said what.
 */
export const tenancyEndPage: TenantPage = {
  name: 'tenancy-end',
  needs: 'code',
  when: 'after signing',
  problems: {
    ...problemsIn(endHouseholdRoute, { '/lastDay': text.dayProblem }),
    ...problemsIn(answerTenancyEndRoute, { '/otherDay': text.dayProblem }),
  },
  async show(visit, form) {
    if (visit.contract?.status !== 'in_force') return { goTo: visit.path('home') }
    const question = await questionTo(visit)
    const body = question === undefined ? await telling(visit, form) : asking(visit, form, question)
    return { title: text.title, back: visit.path('home'), body: html`<h1>${text.title}</h1>${body}` }
  },
  async submit(visit, form) {
    if (visit.contract?.status !== 'in_force') return visit.path('home')
    const { path } = visit
    if ((await questionTo(visit)) !== undefined) {
      const answered = answerIn(form)
      const isDone = answered.answer === 'stays' || form.text('confirmed') === 'yes'
      const { ended } = await answer(visit, answered, isDone ? form : undefined)
      if (isDone) return { goTo: path('home'), notice: answered.answer === 'stays' ? 'you_stay' : 'notice_received' }
      const { answer: chosen, otherDay } = answered
      return confirmation(visit, ended, text.goes, { answer: chosen, confirmedDay: otherDay ?? '' })
    }
    if (form.text('do') === 'take back') {
      await tell(visit, null, form)
      return { goTo: path('home'), notice: 'you_stay' }
    }
    const said = saidIn(form)
    if (form.text('confirmed') === 'yes') {
      const others = visit.quote.tenants.filter(({ tenantId }) => tenantId !== visit.customerId)
      await causes(
        visit,
        'tenancy_end',
        others.flatMap(({ personal, contractStatus }) => (contractStatus === 'in_force' ? [personal.email] : [])),
      )
      await tell(visit, said, form)
      return { goTo: path('home'), notice: 'notice_received' }
    }
    const { own } = await tell(visit, said)
    return confirmation(visit, own, text.othersAsked, { reason: said.reason, confirmedDay: said.lastDay })
  },
}

/** The question that the tenant can answer now; undefined if there is none. */
export async function questionTo({ deps, contract, caller }: Visit): Promise<StoredQuestion | undefined> {
  return contract === null ? undefined : findQuestionTo(deps.db, contract, { now: caller.now, isOwnAnswer: true })
}

function asking({ session }: Visit, form: Form, { lastDay, closesOn, answer: given, otherDay }: StoredQuestion): Html {
  const other = dateField(form, { name: 'otherDay', label: text.otherDay, hint: text.dayHint, value: otherDay ?? '' })
  const options = endAnswers.map((value) => ({
    ...{ value, label: text.answers[value] },
    ...(value === 'other_day' ? { more: other } : {}),
  }))
  const choice = choiceField(form, { name: 'answer', label: text.question(lastDay), type: 'radio', options })
  return html`${given === null ? null : html`<p>${text.given(text.answers[given])}</p>`}
<p>${text.responsible}</p><p>${text.private(closesOn)}</p>${formOf(session.formToken, choice, words.continue)}`
}

async function telling({ deps, quote, customerId, session }: Visit, form: Form): Promise<Html> {
  const said = await findSaidBy(deps.db, quote, customerId)
  const options = publicCauses.map((value) => ({ value, label: text.reasons[value] }))
  const fields = html`${choiceField(form, { name: 'reason', label: text.reason, type: 'radio', options })}
${dateField(form, { name: 'lastDay', label: text.lastDay, hint: text.dayHint })}`
  const back =
    said &&
    html`<p>${text.told(said.lastDay)}</p>${formOf(session.formToken, html`<input type="hidden" name="do" value="take back">`, text.takeBack, { look: 'second' })}<h2>${text.another}</h2>`
  return html`${back ?? html`<p>${text.intro}</p>`}<p>${text.responsible}</p>${formOf(session.formToken, fields, words.leave.work)}`
}

function confirmation(
  visit: Visit,
  ended: EndedContract | null,
  consequence: string,
  hidden: Readonly<Record<string, string>>,
): Shown {
  return confirmPage(visit, {
    title: text.confirmTitle,
    back: visit.path('tenancy-end'),
    consequences: html`${ended === null ? html`<p>${text.endsSooner}</p>` : endingInWords(ended)}<p>${consequence}</p>`,
    figures: ended === null ? null : figuresOf(ended),
    hidden: { ...hidden, confirmed: 'yes' },
    button: text.button,
    stay: { text: words.leave.stay, path: visit.path('home') },
  })
}

/** A day that was confirmed, or one that was entered. Throws for none. */
function dayIn(form: Form, field: 'otherDay' | 'lastDay'): IsoDate {
  const confirmed = form.text('confirmedDay')
  const day = isIsoDate(confirmed) ? confirmed : form.date(field)
  if (day === null || day === 'wrong') throw new FormRejected([{ field, text: text.dayProblem }])
  return isoDate(day)
}

function answerIn(form: Form): Pick<Answered, 'answer' | 'otherDay'> {
  const chosen = endAnswers.find((each) => each === form.text('answer'))
  if (chosen === undefined) throw new FormRejected([{ field: 'answer', text: text.answerProblem }])
  return { answer: chosen, otherDay: chosen === 'other_day' ? dayIn(form, 'otherDay') : null }
}

function saidIn(form: Form) {
  const reason = publicCauses.find((each) => each === form.text('reason'))
  if (reason === undefined) throw new FormRejected([{ field: 'reason', text: text.reasonProblem }])
  return { reason, lastDay: dayIn(form, 'lastDay') }
}

/** What tells this browser from the housemates': only compared, while questions to the household are open. */
function browserHash({ deps, from }: Visit): string {
  return deps.cipher.hash(`${from.tenantIp} ${from.tenantUserAgent ?? ''}`)
}

/** Answers if the tenant was shown what that costs; without a form, only works it out. */
function answer(visit: Visit, answered: Pick<Answered, 'answer' | 'otherDay'>, form?: Form) {
  const { deps, caller, customerId } = visit
  return answerQuestion(deps, caller, customerId, {
    ...{ ...answered, browserHash: browserHash(visit), dryRun: form === undefined },
    require: form === undefined || answered.answer === 'stays' ? undefined : (ended) => requireFigures(form, ended),
  })
}

/** Tells us, as `answer` does; null takes it back. */
function tell(visit: Visit, said: ReturnType<typeof saidIn> | null, form?: Form) {
  const { deps, caller, customerId, quote } = visit
  const { lastDay, reason } = said ?? { lastDay: null, reason: 'tenancy_ended' as const }
  return endHousehold(deps, caller, quote.quoteId, {
    ...{ lastDay, reason, evidence: null, by: { tenantId: customerId, browserHash: browserHash(visit) } },
    dryRun: form === undefined,
    require: form === undefined || said === null ? undefined : (ended) => requireFigures(form, ended),
  })
}
