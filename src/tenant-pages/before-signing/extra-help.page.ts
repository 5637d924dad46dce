import type { Static } from 'typebox'
import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { type PsrDetails, readPsr } from '../../onboarding/psr.schema.ts'
import { updateCustomer } from '../../onboarding/update-customer.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { boxField, choiceField, dateField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { networkOfMpan } from '../../properties/postcodes/distribution-regions.ts'
import { serviceNames, services } from '../../quoting/packages/services.ts'
import type { PsrCategoryDefinition, PsrExtra } from '../../quoting/tenants/psr.ts'
import { whyAsked } from '../privacy.page.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasSigned, isStep, pathAfter, pathBefore, progressOf } from './steps.ts'

const text = words.needs

const ofContact = text.contactProblems

/**
 * The Priority Services Register: health data. Nobody has to say anything, and what was said is not shown again: it can
 * be replaced or withdrawn.
 */
export const extraHelpPage: TenantPage = {
  name: 'extra-help',
  needs: 'link',
  when: 'always',
  problems: problemsIn(updateCustomerRoute, {
    '/psrDetails/categories': text.problems.categories,
    '/psrDetails/authorisedContact/firstName': { field: 'contactFirstName', text: ofContact.firstName },
    '/psrDetails/authorisedContact/lastName': { field: 'contactLastName', text: ofContact.lastName },
    '/psrDetails/authorisedContact/relationship': { field: 'contactRelationship', text: ofContact.relationship },
    '/psrDetails/authorisedContact/phone': { field: 'contactPhone', text: ofContact.phone },
    '/psrDetails/authorisedContact/consentGiven': { field: 'contactAgreed', text: ofContact.consentGiven },
    '/psrDetails/consentToShare': { field: 'consent', text: text.problems.consent },
  }),
  async show(visit, form) {
    const isOpen = form.text('do') === 'register' || visit.query.get('do') === 'register'
    const given = knownNeeds(visit)
    const back = hasSigned(visit) ? visit.path('home') : pathBefore(visit, 'extra-help')
    const common = { title: text.title, progress: progressOf(visit, 'extra-help'), back }
    if (given === null && !isStep(visit, 'extra-help')) return { goTo: visit.path('') }
    if (isOpen && !visit.session.isConfirmed) return { goTo: `${visit.path('code')}?next=extra-help` }
    if (isOpen) return { ...common, body: register(visit, form) }
    const { formToken } = visit.session
    return {
      ...common,
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>
${given === null ? null : html`<p>${text.told(londonDate(given))}</p>`}
<p><a class="button second" href="${visit.path('extra-help')}?do=register">${given === null ? text.register : text.replace}</a></p>
${given === null ? null : formOf(formToken, html`<input type="hidden" name="do" value="withdraw">`, text.withdraw, { look: 'second' })}
${formOf(formToken, html`<input type="hidden" name="do" value="skip">`, given === null ? text.skip : words.continue)}
<p class="hint">${text.byPhone(visit.deps.operator.trader.phone)}</p>`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId } = visit
    const next = hasSigned(visit) ? visit.path('home') : pathAfter(visit, 'extra-help')
    if (form.text('do') === 'skip') return next
    if (!visit.session.isConfirmed) return `${visit.path('code')}?next=extra-help`
    const psrDetails = form.text('do') === 'withdraw' ? { hasPsr: false } : entered(form, deps.psrCategories)
    try {
      checkedBody(updateCustomerRoute, { psrDetails }, visit)
    } catch (error) {
      throw atDates(error, form, deps.psrCategories)
    }
    const psr = readPsr(psrDetails)
    await updateCustomer(deps, caller, customerId, { personal: {}, psr })
    if (psr.hasPsr) return hasSigned(visit) ? { goTo: next, notice: 'changed' } : next
    return { goTo: visit.path('extra-help'), notice: 'needs_withdrawn' }
  },
}

/** When needs were told of. A link alone does not show whether any were: the page then takes a code to say anything. */
function knownNeeds({ psrGivenAt, session }: Visit): Date | null {
  return session.isConfirmed ? psrGivenAt : null
}

function register(visit: Visit, form: Form): Html {
  const { psrCategories, operator } = visit.deps
  const options = psrCategories
    .map(({ code, name, grouping, extra }) => ({
      value: code,
      label: name,
      group: groupOf(grouping),
      ...(extra === 'none' ? {} : { more: html`<div class="more">${dates(form, code, extra)}</div>` }),
    }))
    // Those of one group stand together, in the order of the groups.
    .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
  const consent = text.consent(operator.trader.name, recipientsOf(visit))
  return html`<h1>${text.chosenTitle}</h1>${whyAsked(words.privacy.whyNeeds, visit.path)}
${formOf(
  visit.session.formToken,
  html`<input type="hidden" name="do" value="register">
${choiceField(form, { name: 'categories', label: text.categories, hint: text.categoriesHint, type: 'checkbox', options })}
<h2>${text.contactHeading}</h2><p>${text.contactIntro}</p>
${textField(form, { name: 'contactFirstName', label: text.contactFirstName, maxLength: 100 })}
${textField(form, { name: 'contactLastName', label: text.contactLastName, maxLength: 100 })}
${textField(form, { name: 'contactRelationship', label: text.contactRelationship, maxLength: 100 })}
${textField(form, { name: 'contactPhone', label: text.contactPhone, type: 'tel', maxLength: 40 })}
${boxField(form, { name: 'contactAgreed', label: text.contactAgreed })}
${boxField(form, { name: 'consent', label: consent, hint: text.consentHint })}`,
  text.button,
)}
<p class="hint">${text.byPhone(operator.trader.phone)}</p>`
}

/** Who gets the needs, by name: the suppliers of electricity and gas, and the networks of the home. */
function recipientsOf({ quote, deps: { operator } }: Visit): string {
  const metered = serviceNames().filter(
    (service) => services[service].metered !== null && quote.price?.lines.some(({ type }) => type === service),
  )
  return listInWords(
    metered.flatMap((service) => [
      text.supplier(operator.suppliers[service]?.name ?? '', service),
      text.network(service, service === 'electricity' ? networkOfMpan(quote.address.mpan) : undefined),
    ]),
  )
}

const groups: readonly string[] = Object.values(text.groups)

/** The heading of a group of needs. */
function groupOf(grouping: string): string {
  return text.groups[grouping as keyof typeof text.groups] ?? text.groups.support
}

/** The date that a need has: when it ends or, for young children, when the youngest was born. */
function dates(form: Form, code: string, extra: PsrExtra): Html {
  const isChild = extra === 'expiry-date-or-youngest-child'
  return dateField(form, {
    name: fieldOf(code, extra),
    label: isChild ? text.childBorn : text.until,
    hint: text.untilHint,
  })
}

/** The error with what is wrong at its field, also with the dates of needs: missing, or one that is over. */
function atDates(error: unknown, form: Form, definitions: readonly PsrCategoryDefinition[]): unknown {
  if (!(error instanceof DomainError)) return error
  const problems = error.fields.flatMap(({ pointer }) => {
    const [, index] = /^\/psrDetails\/categories\/(\d+)\//.exec(pointer) ?? []
    const code = index === undefined ? undefined : form.chosen('categories')[Number(index)]
    const extra = definitions.find((each) => each.code === code)?.extra ?? 'none'
    if (code === undefined || extra === 'none') return extraHelpPage.problems?.[pointer] ?? []
    const field = fieldOf(code, extra)
    const isDate = ![null, 'wrong'].includes(form.date(field))
    return [{ field, text: isDate ? text.dateProblem : text.extraProblem }]
  })
  const first = problems.filter(({ field }, at) => problems.findIndex((each) => each.field === field) === at)
  return first.length === 0 ? error : new FormRejected(first)
}

/** The name of the field for the date of a need. */
function fieldOf(code: string, extra: PsrExtra): string {
  return `${extra === 'expiry-date-or-youngest-child' ? 'born' : 'until'}-${code}`
}

/** What was entered, as the API takes it. */
function entered(form: Form, definitions: readonly PsrCategoryDefinition[]): Static<typeof PsrDetails> {
  const categories = form.chosen('categories').map((code) => {
    const extra = definitions.find((each) => each.code === code)?.extra ?? 'none'
    if (extra === 'none') return { code }
    const isChild = extra === 'expiry-date-or-youngest-child'
    return { code, [isChild ? 'youngestChildDateOfBirth' : 'expiryDate']: form.date(fieldOf(code, extra)) ?? '' }
  })
  return {
    hasPsr: true,
    categories,
    authorisedContact: {
      firstName: form.text('contactFirstName'),
      lastName: form.text('contactLastName'),
      relationship: form.text('contactRelationship'),
      phone: form.text('contactPhone'),
      // The schema rejects false.
      consentGiven: (form.text('contactAgreed') === 'yes') as true,
    },
    consentToShare: form.text('consent') === 'yes',
  }
}
