import { createReplacementRoute } from '../../contracts/replacements/create-replacement.route.ts'
import { createReplacement, withdrawReplacement } from '../../contracts/replacements/create-replacement.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { boxField, dateField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { QuoteTenant } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { sureField, sureProblems } from '../before-signing/household.page.ts'
import { causes, type TenantPage, type Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { endingInWords } from './ending.ts'

const text = words.handOver

/**
 * Handing one's share over to a new housemate: first what each of the two pays, to the penny, then the link to the new
 * one, and how far they are.
 */
export const handOverPage: TenantPage = {
  name: 'hand-over',
  needs: 'code',
  when: 'after signing',
  problems: problemsIn(createReplacementRoute, {
    '/name': text.problems.name,
    '/email': text.problems.email,
    '/from': text.problems.from,
    '/contactPermission': { field: 'permission', text: text.problems.permission },
  }),
  async show(visit, form) {
    const { session, path } = visit
    const joiner = joinerOf(visit)
    if (joiner !== undefined) return progress(visit, joiner)
    if (visit.contract?.status !== 'in_force') return { goTo: path('home') }
    return {
      title: text.title,
      back: path('home'),
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>${formOf(session.formToken, fields(form), text.work)}`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId, path } = visit
    if (form.text('do') === 'withdraw') {
      await withdrawReplacement(deps, caller, customerId)
      return { goTo: path('home'), notice: 'changed' }
    }
    const joiner = entered(visit, form)
    if (form.text('do') !== 'confirm') return confirmation(visit, joiner)
    await causes(visit, 'hand_over', [joiner.email])
    const { customerId: joinerId } = await createReplacement(deps, caller, customerId, { ...joiner, dryRun: false })
    const notice = joinerId === null ? 'link_by_partner' : await deps.sendLink(caller, joinerId)
    return { goTo: path('hand-over'), notice }
  },
}

function joinerOf({ quote, customerId }: Visit): QuoteTenant | undefined {
  return quote.tenants.find(({ replaces }) => replaces === customerId)
}

function fields(form: Form): Html {
  return html`${textField(form, { name: 'name', label: text.name, maxLength: 200 })}
${textField(form, { name: 'email', label: text.email, type: 'email', maxLength: 254 })}${sureField(form)}
${dateField(form, { name: 'from', label: text.from, hint: text.fromHint })}
${boxField(form, { name: 'permission', label: text.permission })}`
}

/** The new housemate as the API takes one. Throws for what cannot be used. */
function entered(visit: Visit, form: Form) {
  const from = form.text('confirmedFrom') === '' ? form.date('from') : (form.text('confirmedFrom') as IsoDate)
  const missing = [
    ...(['name', 'email'] as const).filter((field) => form.text(field) === ''),
    ...(from === null || from === 'wrong' ? (['from'] as const) : []),
    ...(form.text('permission') === 'yes' ? [] : (['permission'] as const)),
  ].map((field) => ({ field, text: text.problems[field] }))
  const problems = [...missing, ...sureProblems(form)]
  if (problems.length > 0 || from === null || from === 'wrong') throw new FormRejected(problems)
  const { caller, customer } = visit
  const joiner = {
    name: form.text('name'),
    email: form.text('email'),
    from,
    contactPermission: { givenAt: caller.now.toISOString(), by: fullName(customer.personal) },
  }
  return checkedBody(createReplacementRoute, joiner, visit)
}

async function confirmation(visit: Visit, joiner: ReturnType<typeof entered>): Promise<Shown> {
  const { deps, caller, customerId, path } = visit
  const { figures } = await createReplacement(deps, caller, customerId, { ...joiner, dryRun: true })
  const { share, plan, startsOn, endsOn } = figures.joiner
  const [first] = plan
  return confirmPage(visit, {
    title: text.confirmTitle(joiner.name),
    back: path('hand-over'),
    consequences: html`<p>${text.ifInTime}</p><h2>${text.youPay}</h2>${endingInWords(figures.leaver)}
<h2>${text.theyPay(joiner.name)}</h2>
<p>${first === undefined ? null : text.joiner(words.price(share, plan.length), first.amount, first.date, startsOn, endsOn)}</p>`,
    hidden: {
      ...{ do: 'confirm', name: joiner.name, email: joiner.email, confirmedFrom: joiner.from },
      ...{ permission: 'yes', sure: 'yes' },
    },
    button: text.button,
    stay: { text: words.leave.stay, path: path('home') },
  })
}

function progress(visit: Visit, { personal, joinsOn, status }: QuoteTenant): Shown {
  const { session, path } = visit
  const from = joinsOn === null ? '' : dayInWords(joinsOn)
  const withdraw = html`<p>${text.withdrawIntro}</p>${formOf(session.formToken, html`<input type="hidden" name="do" value="withdraw">`, text.withdraw, { look: 'second' })}`
  return {
    title: text.progressTitle,
    back: path('home'),
    body: html`<h1>${text.progressTitle}</h1><p>${text.progress(personal.firstName, from, text.states[status])}</p>
${status === 'OnboardingComplete' ? null : withdraw}`,
  }
}
