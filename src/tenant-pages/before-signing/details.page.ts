import { changeOccupiers } from '../../contracts/occupiers/change-occupiers.ts'
import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { finalisePersonalInformationRoute } from '../../onboarding/finalise-personal-information.route.ts'
import { finalisePersonalInformation } from '../../onboarding/finalise-personal-information.ts'
import { updateCustomer } from '../../onboarding/update-customer.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { boxField, choiceField, dateField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import { type MoveIn, requireMoveInDay } from '../../quoting/quotes/occupiers.ts'
import { leadTenantId } from '../../quoting/quotes/quote.ts'
import { updateQuote } from '../../quoting/quotes/update-quote.ts'
import { detailsChanged } from '../../quoting/tenants/customer.ts'
import { readPersonalDetails } from '../../quoting/tenants/personal-details.schema.ts'
import { whyAsked } from '../privacy.page.ts'
import { root } from '../tenant-http.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasEnergy, hasSigned, pathAfter, pathBefore, progressOf } from './steps.ts'

const text = words.details

/**
 * Who the tenant is. With a link alone the form is empty, and a phone number that the partner gave is only named by its
 * end. Once details are given, they are shown and can be corrected. The date of birth is not shown, and can be replaced
 * until the tenant signs.
 */
export const detailsPage: TenantPage = {
  name: 'details',
  needs: 'link',
  when: 'always',
  problems: {
    ...problemsIn(finalisePersonalInformationRoute, text.problems),
    '/moveIn/date': { field: 'moveInDay', text: text.moveInProblem },
  },
  async show(visit, form) {
    const isGiven = visit.customer.status !== 'active'
    if (isGiven && !visit.session.isConfirmed) return { goTo: `${visit.path('code')}?next=details` }
    return {
      title: text.title,
      progress: progressOf(visit, 'details'),
      back: hasSigned(visit) ? visit.path('home') : pathBefore(visit, 'details'),
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>
${formOf(visit.session.formToken, fields(visit, form, isGiven), hasSigned(visit) ? words.save : words.continue)}`,
    }
  },
  async submit(visit, form) {
    const isGiven = visit.customer.status !== 'active'
    if (isGiven && !visit.session.isConfirmed) return `${visit.path('code')}?next=details`
    if (!isGiven) {
      const moveIn = enteredMoveIn(visit, form)
      await give(visit, form)
      await tellOfTopUps(visit, form)
      const occupiers = { moveIn, nextOccupier: undefined }
      if (moveIn !== undefined) await changeOccupiers(visit.deps, visit.caller, visit.quote.quoteId, occupiers)
    }
    const became = isGiven ? await correct(visit, form) : 'changed'
    if (became === 'closed') {
      const link = await visit.deps.sendLink(visit.caller, visit.customerId, true)
      return closed(link !== 'link_by_partner')
    }
    if (hasSigned(visit)) return { goTo: visit.path('home'), notice: became }
    if (visit.query.get('from') === 'agree') return { goTo: visit.path('agree'), notice: became }
    return pathAfter(visit, 'details')
  },
}

/** The pages that the change of the e-mail address closed. */
function closed(isSent: boolean): Shown {
  const { changedTitle: title, changedEmail, changedByPartner } = text
  const next = html`<p><a class="button" href="${root}">${words.ended.newLink}</a></p>`
  const body = html`<h1>${title}</h1><p>${isSent ? changedEmail : changedByPartner}</p>${isSent ? next : null}`
  return { title, body, isOver: true }
}

function fields(visit: Visit, form: Form, isGiven: boolean) {
  const { personal } = visit.customer
  const value = (name: 'firstName' | 'lastName' | 'email') => (isGiven ? personal[name] : '')
  const { isConfirmed } = visit.session
  const phoneHint = isConfirmed || personal.phone === '' ? text.phoneHint : text.phoneKnown(personal.phone.slice(-2))
  return html`${textField(form, { name: 'firstName', label: text.firstName, value: value('firstName'), autocomplete: 'given-name', maxLength: 100 })}
${textField(form, { name: 'lastName', label: text.lastName, value: value('lastName'), autocomplete: 'family-name', maxLength: 100 })}
${isGiven ? textField(form, { name: 'email', label: text.email, value: value('email'), type: 'email', autocomplete: 'email', maxLength: 254 }) : null}
${isGiven && isOther(form.text('email'), personal.email) ? boxField(form, { name: 'sure', label: text.sure(form.text('email')) }) : null}
${textField(form, { name: 'phone', label: text.phone, hint: phoneHint, value: isConfirmed ? personal.phone : '', type: 'tel', autocomplete: 'tel', maxLength: 40 })}
${hasSigned(visit) ? html`<p class="hint">${text.birthdayKept}</p>` : dateField(form, { name: 'dateOfBirth', label: text.dateOfBirth, hint: isGiven ? text.birthdayAgain : text.dateOfBirthHint, birthday: true })}
${!isGiven && isAskedOfTopUps(visit) ? choiceField(form, { name: 'topUp', label: text.topUp, hint: text.topUpHint, type: 'radio', options: topUps }) : null}
${!isGiven && isAskedOfMoveIn(visit) ? dateField(form, { name: 'moveInDay', label: text.moveInDay, hint: text.moveInHint(visit.quote.contractStartDate) }) : null}
${hasSigned(visit) ? null : whyAsked(words.privacy.whyBirthday, visit.path)}`
}

const topUps = (['prepayment', 'credit', 'unknown'] as const).map((value) => ({ value, label: text.topUps[value] }))

/** Whether the tenant leads a household of which the partner has not said how its energy is paid for. */
function isAskedOfTopUps(visit: Visit): boolean {
  const { meter, stage } = visit.quote
  const isOpen = stage === 'open' || stage === 'active'
  const isUnknown = (meter?.payment ?? 'unknown') === 'unknown'
  return isOpen && isUnknown && hasEnergy(visit) && leadTenantId(visit.quote) === visit.customerId
}

/** Keeps the answer, if there is one that says something and the partner has not said it meanwhile. */
async function tellOfTopUps(visit: Visit, form: Form): Promise<void> {
  const payment = topUps.find(({ value }) => value === form.text('topUp'))?.value ?? 'unknown'
  if (payment === 'unknown' || !isAskedOfTopUps(visit)) return
  await updateQuote(visit.deps, visit.caller, visit.quote.quoteId, { meterIfUnknown: { payment } })
}

/** Whether the tenant leads a household with energy of which nobody has said when it moves in. */
function isAskedOfMoveIn(visit: Visit): boolean {
  return visit.quote.moveIn === null && hasEnergy(visit) && leadTenantId(visit.quote) === visit.customerId
}

/** The day of moving in that was entered, if there is one. Throws `validation_failed` for one that is not possible. */
function enteredMoveIn(visit: Visit, form: Form): MoveIn | undefined {
  const date = isAskedOfMoveIn(visit) ? form.date('moveInDay') : null
  if (date === null) return undefined
  if (date === 'wrong') throw new FormRejected([{ field: 'moveInDay', text: text.moveInProblem }])
  requireMoveInDay({ date }, visit.quote.contractStartDate)
  return { date }
}

const nothingElse = {
  ...{ psr: undefined, earlySupplyRequested: undefined },
  ...{ contractStartDate: undefined, contractEndDate: undefined },
}

/** The first time: the e-mail address stays the one that the link was sent to. */
async function give(visit: Visit, form: Form): Promise<void> {
  const { deps, caller, customerId, customer } = visit
  const dateOfBirth = form.date('dateOfBirth')
  const sent = {
    firstName: form.text('firstName'),
    lastName: form.text('lastName'),
    email: customer.personal.email,
    phone: form.text('phone') || (visit.session.isConfirmed ? '' : customer.personal.phone),
    dateOfBirth: dateOfBirth ?? '',
  }
  const { email, ...personal } = readPersonalDetails(checkedBody(finalisePersonalInformationRoute, sent, visit))
  await finalisePersonalInformation(deps, caller, customerId, { ...nothingElse, personal }, (locked) => {
    // Details were given, or the address that the link went to was corrected, at this moment.
    const isGiven = locked.customer.status !== 'active' && !visit.session.isConfirmed
    if (isGiven || comparableEmail(locked.customer.personal.email) !== comparableEmail(customer.personal.email))
      throw new FormRejected([])
  })
}

/**
 * Later: only what was changed, so that everything else that was given stays. The date of birth, which somebody else
 * with the link may have given, until the tenant signs. A changed e-mail address closes the pages.
 */
async function correct(visit: Visit, form: Form): Promise<'changed' | 'unchanged' | 'closed'> {
  const { deps, caller, customerId } = visit
  const { personal } = visit.customer
  const entered = Object.fromEntries(
    (['firstName', 'lastName', 'email', 'phone'] as const)
      .map((name) => [name, form.text(name)] as const)
      .filter(([name, value]) => value !== personal[name]),
  )
  const hasNewBirthday = !hasSigned(visit) && (await correctBirthday(visit, form))
  if (Object.keys(entered).length === 0) return hasNewBirthday ? 'changed' : 'unchanged'
  const body = checkedBody(updateCustomerRoute, entered, visit)
  const isNewAddress = isOther(entered.email ?? '', personal.email)
  // Whoever reads that mailbox gets in, and nobody else: a mistyped address would be a stranger's.
  if (isNewAddress && form.text('sure') !== 'yes') throw new FormRejected([{ field: 'sure', text: text.sureProblem }])
  const changes = detailsChanged(personal, readPersonalDetails(body))
  if (Object.keys(changes).length === 0) return hasNewBirthday ? 'changed' : 'unchanged'
  await updateCustomer(deps, caller, customerId, { personal: changes, psr: undefined })
  return isNewAddress ? 'closed' : 'changed'
}

/** Replaces the date of birth if one was entered. Returns whether it did. */
async function correctBirthday(visit: Visit, form: Form): Promise<boolean> {
  const entered = form.date('dateOfBirth')
  if (entered === null) return false
  const { firstName, lastName, email, phone } = visit.customer.personal
  const sent = { firstName, lastName, email, phone, dateOfBirth: entered }
  const { dateOfBirth = null } = readPersonalDetails(checkedBody(finalisePersonalInformationRoute, sent, visit))
  const { deps, caller, customerId } = visit
  await finalisePersonalInformation(deps, caller, customerId, { ...nothingElse, personal: { dateOfBirth } })
  return true
}

function isOther(entered: string, email: string): boolean {
  return entered !== '' && comparableEmail(entered) !== comparableEmail(email)
}
