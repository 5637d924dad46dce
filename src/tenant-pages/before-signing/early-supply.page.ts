import { finalisePersonalInformationRoute } from '../../onboarding/finalise-personal-information.route.ts'
import { finalisePersonalInformation } from '../../onboarding/finalise-personal-information.ts'
import { problemsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { leadTenantId } from '../../quoting/quotes/quote.ts'
import { daysToSignAndCancel } from '../../quoting/quotes/quote-policy.ts'
import { causes, type TenantPage, type Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { isStep, pathAfter, pathBefore, progressOf } from './steps.ts'

const text = words.earlySupply

/**
 * Whether supply may begin within the 14 days in which a tenant can cancel (CCR 2013, reg. 36): their own express
 * choice between two equal ones, made before they see the draft.
 */
export const earlySupplyPage: TenantPage = {
  name: 'early-supply',
  needs: 'link',
  when: 'before signing',
  problems: problemsIn(finalisePersonalInformationRoute, {
    '/contractStartDate': { field: 'start', text: text.laterProblem },
    '/contractEndDate': { field: 'start', text: text.tooLate },
  }),
  async show(visit, form) {
    const { quote, session, customer } = visit
    if (customer.status === 'active') return { goTo: visit.path('details') }
    if (!isStep(visit, 'early-supply')) return { goTo: visit.path('payments') }
    const start = quote.price?.contractStartDate ?? quote.contractStartDate
    const common = { progress: progressOf(visit, 'early-supply'), back: pathBefore(visit, 'early-supply') }
    if (visit.query.get('choice') === 'wait') {
      const body = html`<h1>${text.waitTitle}</h1>${maySetStart(visit) ? laterStart(visit, form) : html`<p>${text.waitText(visit.partnerName)}</p>`}
<p><a class="button" href="${visit.path('early-supply')}">${text.chooseAgain}</a></p>`
      return { ...common, title: text.waitTitle, body }
    }
    const options = [
      { value: 'early', label: text.begin(start), hint: text.beginHint },
      { value: 'wait', label: text.wait, hint: text.waitHint },
    ]
    const choice = choiceField(form, { name: 'choice', label: text.question, type: 'radio', options })
    return {
      ...common,
      title: text.title,
      body: html`<h1>${text.title}</h1><p>${text.intro(start)}</p>${formOf(session.formToken, choice, words.continue)}`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId, customer } = visit
    if (customer.status === 'active') return visit.path('details')
    // Who has only the link cannot take back what was chosen.
    const isConfirmed = visit.session.isConfirmed
    const isLater = form.text('do') === 'later'
    // Nor can they move the first day of the whole household.
    if ((customer.earlySupplyRequested || isLater) && !isConfirmed) return `${visit.path('code')}?next=early-supply`
    const requireOf = (locked: Pick<Visit, 'customer' | 'quote'>) => {
      if (locked.customer.earlySupplyRequested && !isConfirmed) throw new FormRejected([])
    }
    if (isLater) {
      const start = form.date('start')
      const rejected = (problem: string) => new FormRejected([{ field: 'start', text: problem }])
      if (start === null || start === 'wrong') throw rejected(text.laterProblem)
      const information = {
        ...{ personal: {}, psr: undefined, earlySupplyRequested: undefined },
        ...{ contractStartDate: start, contractEndDate: undefined },
      }
      const others = visit.quote.tenants.filter(({ tenantId }) => tenantId !== customerId)
      await causes(
        visit,
        'dates',
        others.map(({ personal }) => personal.email),
      )
      await finalisePersonalInformation(deps, caller, customerId, information, (locked) => {
        const { contractStartDate } = locked.quote
        if (start <= contractStartDate) throw rejected(text.notLater(contractStartDate))
      })
      return visit.path('early-supply')
    }
    const choice = form.text('choice')
    if (choice !== 'early' && choice !== 'wait') throw new FormRejected([{ field: 'choice', text: text.problem }])
    const information = {
      ...{ personal: {}, psr: undefined, earlySupplyRequested: choice === 'early' },
      ...{ contractStartDate: undefined, contractEndDate: undefined },
    }
    await finalisePersonalInformation(deps, caller, customerId, information, requireOf)
    return choice === 'early' ? pathAfter(visit, 'early-supply') : `${visit.path('early-supply')}?choice=wait`
  },
}

/** Whether the tenant can choose another first day: the lead tenant, unless the partner chose it or a card fixed it. */
function maySetStart({ quote, customerId }: Visit): boolean {
  return leadTenantId(quote) === customerId && quote.stage === 'open' && quote.startOrigin !== 'partner'
}

function laterStart({ session, deps }: Visit, form: Form): Html {
  const days = daysToSignAndCancel(deps.quotePolicy)
  const fields = html`<input type="hidden" name="do" value="later">${dateField(form, { name: 'start', label: text.laterStart, hint: text.laterHint(days) })}`
  return html`<p>${text.laterText}</p>${formOf(session.formToken, fields, text.laterButton)}`
}
