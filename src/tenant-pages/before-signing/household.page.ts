import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { boxField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf, type Problem } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { hasUnusualDomain } from '../../platform/kernel/email.ts'
import { envelopeLines, leadTenantId, type Quote, type QuoteTenant } from '../../quoting/quotes/quote.ts'
import { updateQuote } from '../../quoting/quotes/update-quote.ts'
import { addTenants } from '../../quoting/tenants/add-tenants.ts'
import { agreeToLead } from '../../quoting/tenants/agree-to-lead.ts'
import { correctTenant, isTenantConfirmed, TenantConfirmed } from '../../quoting/tenants/correct-tenant.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { TenantInput } from '../../quoting/tenants/personal-details.schema.ts'
import { addTenantsRoute } from '../../quoting/tenants/tenants.route.ts'
import { causes, type TenantPage, type Visit } from '../tenant-visit.ts'
import { type Notice, words } from '../words.ts'
import { contractBefore } from './steps.ts'

const text = words.household

/**
 * Who shares the bills and who has signed: first names only, only for who has confirmed their e-mail address, and only
 * until the household is complete. The lead tenant says when it is, and can add, correct and remove housemates until
 * then.
 */
export const householdPage: TenantPage = {
  name: 'household',
  needs: 'code',
  when: 'always',
  problems: problemsIn(addTenantsRoute, {
    '/tenants/0/name': text.nameProblem,
    '/tenants/0/email': text.emailProblem,
    '/tenants/0/contactPermission': { field: 'permission', text: text.permissionProblem },
  }),
  async show(visit, form) {
    // Whoever takes over a share sees only themselves.
    if (visit.quote.stage === 'completed' || visit.quote.takingOver !== undefined) return { goTo: visit.path('') }
    const chosen = chosenHousemate(visit)
    const body = chosen === undefined ? list(visit, form) : await about(visit, form, chosen)
    return { title: text.title, back: visit.path(''), body }
  },
  async submit(visit, form) {
    const { deps, caller, quote, customerId } = visit
    if (form.text('do') === 'lead') {
      await agreeToLead(deps, caller, { quoteId: quote.quoteId, customerId })
      return visit.path('household')
    }
    requireLead(visit)
    const done = (notice: Notice) => ({ goTo: visit.path('household'), notice })
    const chosen = chosenHousemate(visit)
    switch (form.text('do')) {
      case 'complete':
        await updateQuote(deps, caller, quote.quoteId, { householdComplete: true }, (locked) => {
          if (form.text('people') !== people(locked)) throw new FormRejected([{ field: 'people', text: text.changed }])
        })
        return visit.path('card')
      case 'add':
        return done(await add(visit, form))
      case 'remove':
        return done(await correct(visit, chosen, null))
      case 'correct':
        return done(await correct(visit, chosen, newHousemate(visit, form)))
      default:
        throw new FormRejected([])
    }
  },
}

/** Who the lead tenant was shown, so that nobody is added unseen. */
const people = ({ tenants }: Quote) => tenants.map(({ tenantId }) => tenantId).join()

function isLead({ quote, customerId }: Pick<Visit, 'quote' | 'customerId'>): boolean {
  return leadTenantId(quote) === customerId
}

/** Only the lead tenant has these forms. */
function requireLead(visit: Visit): void {
  if (!isLead(visit)) throw new FormRejected([])
}

/**
 * The housemate whom the lead wants to correct or remove. Nobody else sees more of a housemate than their first name.
 */
function chosenHousemate(visit: Visit): QuoteTenant | undefined {
  const { query, quote, customerId } = visit
  if (!canChange(visit)) return undefined
  return quote.tenants.find(({ tenantId }) => tenantId === query.get('tenant') && tenantId !== customerId)
}

function canChange(visit: Visit): boolean {
  return isLead(visit) && visit.quote.stage === 'open'
}

function list(visit: Visit, form: Form): Html {
  const { quote, session, customerId } = visit
  const isChangeable = canChange(visit)
  const isComplete = quote.householdCompleteAt !== null
  const isAlone = quote.tenants.length === 1
  return html`<h1>${text.title}</h1>${contractBefore(visit)}<p>${(isAlone ? text.introForOne : text.intro)(envelopeLines(quote.address).join(', '))}</p>
<ul class="people" id="people">${quote.tenants.map((tenant) => {
    const { tenantId, personal, status } = tenant
    const firstName = tenant.isErased ? text.left : personal.firstName
    const name = `${firstName}${tenantId === customerId ? ` (${text.you})` : ''}`
    const state = status === 'OnboardingComplete' ? text.signed : text.notYet
    const change =
      isChangeable && tenantId !== customerId
        ? html` · <a href="${visit.path('household')}?tenant=${tenantId}">${text.correct}<span class="unseen"> ${firstName}</span></a>`
        : null
    return html`<li><span>${name}</span><span>${state}${change}</span></li>`
  })}</ul>
${quote.lockedUntil === null ? null : html`<p>${text.locked(londonDate(quote.lockedUntil))}</p>`}
${isComplete ? html`<p>${isAlone ? text.completeForOne : text.complete}</p>` : null}
${leadTenantId(quote) === null ? askToLead(visit) : null}
${
  isChangeable && !isComplete
    ? html`<h2>${isAlone ? text.questionForOne : text.question}</h2><p>${isAlone ? text.questionHintForOne : text.questionHint}</p>
${formOf(session.formToken, html`<input type="hidden" name="do" value="complete"><input type="hidden" name="people" value="${people(quote)}">`, isAlone ? text.onlyMe : text.everybody)}`
    : null
}
${
  isChangeable
    ? html`<h2>${text.add}</h2>
${formOf(session.formToken, html`<input type="hidden" name="do" value="add">${housemateFields(form)}`, text.addButton, { look: 'second' })}`
    : null
}
${isComplete ? html`<p><a class="button" href="${visit.path('')}">${words.continue}</a></p>` : null}`
}

/** After the lead tenant was erased, anybody who stays can lead. */
function askToLead({ session }: Visit): Html {
  const { title, intro, button } = text.nobodyLeads
  return html`<h2>${title}</h2><p>${intro}</p>
${formOf(session.formToken, html`<input type="hidden" name="do" value="lead">`, button, { look: 'second' })}`
}

/** One housemate, for the lead to correct or remove. Whoever has confirmed their e-mail address is their own master. */
async function about(visit: Visit, form: Form, { tenantId, personal }: QuoteTenant): Promise<Html> {
  const { session, deps, caller } = visit
  const { formToken } = session
  if (await isTenantConfirmed(deps, caller, tenantId))
    return html`<h1>${personal.firstName}</h1><p>${text.confirmedAlready}</p>`
  return html`<h1>${text.correctTitle(personal.firstName)}</h1><p>${text.correctIntro}</p>
${formOf(formToken, html`<input type="hidden" name="do" value="correct">${housemateFields(form, { name: fullName(personal), email: personal.email })}`, words.save)}
<h2>${text.removeTitle(personal.firstName)}</h2><p>${text.removeIntro}</p>
${formOf(formToken, html`<input type="hidden" name="do" value="remove">`, text.remove, { look: 'second' })}`
}

function housemateFields(form: Form, given: { name?: string; email?: string } = {}): Html {
  return html`${textField(form, { name: 'name', label: text.name, value: given.name ?? '', maxLength: 200 })}
${textField(form, { name: 'email', label: text.email, type: 'email', value: given.email ?? '', maxLength: 254 })}${sureField(form)}
${boxField(form, { name: 'permission', label: text.permission })}`
}

/** A box to tick where the domain of somebody else's address looks misspelt. */
export function sureField(form: Form): Html | null {
  const email = form.text('email')
  return hasUnusualDomain(email) ? boxField(form, { name: 'sure', label: text.sure(email) }) : null
}

/** The problem of such a box that is not ticked. */
export function sureProblems(form: Form): Problem[] {
  const isSure = form.text('sure') === 'yes' || !hasUnusualDomain(form.text('email'))
  return isSure ? [] : [{ field: 'sure', text: text.sureProblem }]
}

/** The housemate as the API takes one, with who gave us the permission to write to them. */
function newHousemate(visit: Visit, form: Form) {
  const problems = [
    ...(form.text('name') === '' ? [{ field: 'name', text: text.nameProblem }] : []),
    ...(form.text('email') === '' ? [{ field: 'email', text: text.emailProblem }] : []),
    ...(form.text('permission') === 'yes' ? [] : [{ field: 'permission', text: text.permissionProblem }]),
    ...sureProblems(form),
  ]
  if (problems.length > 0) throw new FormRejected(problems)
  const { caller, customer } = visit
  const tenant = {
    name: form.text('name'),
    email: form.text('email'),
    contactPermission: { givenAt: caller.now.toISOString(), by: fullName(customer.personal) },
  }
  checkedBody(addTenantsRoute, { tenants: [tenant] }, visit)
  return tenant
}

/** Adds a housemate. Returns the notice that says so. */
async function add(visit: Visit, form: Form): Promise<Notice> {
  const { deps, caller, quote } = visit
  const housemate = newHousemate(visit, form)
  await causes(visit, 'invitation', [housemate.email])
  const { tenants } = await addTenants(deps, caller, { quoteId: quote.quoteId, tenants: [housemate] })
  return sendLinkToLast(visit, tenants)
}

/** Whoever was put on the quote last gets their link. Returns the notice that says from whom. */
async function sendLinkToLast({ deps, caller }: Visit, tenants: readonly QuoteTenant[]): Promise<Notice> {
  const added = tenants.at(-1)
  return added === undefined ? 'link_by_partner' : deps.sendLink(caller, added.tenantId)
}

/** Corrects or removes a housemate who has not confirmed their e-mail address. Returns the notice that says so. */
async function correct(visit: Visit, chosen: QuoteTenant | undefined, corrected: TenantInput | null): Promise<Notice> {
  const { deps, caller, quote } = visit
  if (chosen === undefined) return 'not_found'
  if (corrected !== null) await causes(visit, 'correction', [corrected.email ?? ''])
  try {
    const { tenants } = await correctTenant(deps, caller, {
      quoteId: quote.quoteId,
      tenantId: chosen.tenantId,
      corrected,
    })
    return corrected === null ? 'changed' : await sendLinkToLast(visit, tenants)
  } catch (error) {
    if (error instanceof TenantConfirmed) throw new FormRejected([{ field: 'name', text: text.confirmedAlready }])
    throw error
  }
}
