import { reportDeathRoute } from '../../contracts/deaths/report-death.route.ts'
import { reportDeath } from '../../contracts/deaths/report-death.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField, textField } from '../../pages/fields.ts'
import { FormRejected, formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'

const text = words.death

/** Where a tenant tells the operator, and nobody else, that a housemate has died. */
export const deathPage: TenantPage = {
  name: 'death',
  needs: 'code',
  when: 'always',
  problems: problemsIn(reportDeathRoute, {
    '/relationship': text.problems.relationship,
    '/diedOn': text.problems.diedOn,
    '/estate': text.problems.estate,
  }),
  async show(visit, form) {
    const options = housematesOf(visit).map(({ tenantId, personal }) => ({
      value: tenantId,
      label: fullName(personal),
    }))
    const call = html`<p>${text.call(visit.deps.operator.trader.phone)}</p>`
    const fields = html`${choiceField(form, { name: 'who', label: text.who, type: 'radio', options })}
${textField(form, { name: 'relationship', label: text.relationship, maxLength: 200 })}
${dateField(form, { name: 'diedOn', label: text.diedOn, hint: text.diedOnHint })}
${textField(form, { name: 'estate', label: text.estate, hint: text.estateHint, maxLength: 1_000 })}`
    return {
      title: text.title,
      back: visit.path('complaints'),
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>${call}${
        options.length > 0 && formOf(visit.session.formToken, fields, text.button)
      }`,
    }
  },
  async submit(visit, form) {
    const who = housematesOf(visit).find(({ tenantId }) => tenantId === form.text('who'))
    const day = form.date('diedOn')
    const [relationship, estate] = [form.text('relationship'), form.text('estate')]
    const problems = [
      ...(who === undefined ? [{ field: 'who', text: text.problems.who }] : []),
      ...(relationship === '' ? [{ field: 'relationship', text: text.problems.relationship }] : []),
      ...(day === 'wrong' ? [{ field: 'diedOn', text: text.problems.diedOn }] : []),
    ]
    if (who === undefined || day === 'wrong' || problems.length > 0) throw new FormRejected(problems)
    const said = { relationship, ...(day === null ? {} : { diedOn: day }), ...(estate === '' ? {} : { estate }) }
    const { diedOn, ...body } = checkedBody(reportDeathRoute, said, visit)
    await reportDeath(visit.deps, visit.caller, who.tenantId, {
      ...body,
      diedOn: diedOn === undefined ? null : isoDate(diedOn),
      housemateId: visit.customerId,
    })
    return { goTo: visit.path('complaints'), notice: 'death_reported' }
  },
}

/** Whom the tenant can name: those who share the bills with them. */
function housematesOf({ quote, customerId }: Visit) {
  return quote.tenants.filter((tenant) => tenant.tenantId !== customerId && !tenant.isErased)
}
