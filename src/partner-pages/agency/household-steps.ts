import type { Static } from 'typebox'
import { publicCauses } from '../../contracts/contract.ts'
import { endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import { endEvidences } from '../../contracts/household-end/household-end.ts'
import { contractUrlRoute } from '../../contracts/links/contract-url.route.ts'
import { createOnboardingLinkRoute } from '../../contracts/links/onboarding-links.route.ts'
import { meterRegisters, servicesWithMeter } from '../../contracts/meter-readings/meter-reading.ts'
import { reportMeterReadingRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import { updateOccupiersRoute } from '../../contracts/occupiers/occupiers.route.ts'
import {
  createReplacementRoute,
  withdrawReplacementRoute,
} from '../../contracts/replacements/create-replacement.route.ts'
import { endContractRoute, moveStartRoute } from '../../contracts/termination/termination.route.ts'
import { cancelQuoteRoute, reopenQuoteRoute } from '../../onboarding/cancel-reopen/cancel-or-reopen-quote.route.ts'
import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { fieldsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField, selectField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { confirmPage, copyable } from '../../pages/lists.ts'
import type { GoTo } from '../../pages/page-set.ts'
import type { Scope } from '../../partners/scopes.ts'
import { isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { quoteTotalCostRoute } from '../../quoting/pricing/pricing.route.ts'
import { nextOccupierKinds } from '../../quoting/quotes/occupiers.ts'
import type { getQuoteRoute } from '../../quoting/quotes/read-quotes.route.ts'
import { updateQuoteRoute } from '../../quoting/quotes/write-quotes.route.ts'
import { removeTenantsRoute } from '../../quoting/tenants/tenants.route.ts'
import type { AgencyVisit } from './agency-visit.ts'
import { nameOf } from './households.page.ts'

type Quote = Static<(typeof getQuoteRoute)['reply']>
export type OneHousehold = Quote & { customers: NonNullable<Quote['customers']> }
export type Tenant = OneHousehold['customers'][number]
export interface TenantOfHousehold {
  household: OneHousehold
  tenant: Tenant
}

/** Something that an agent does for a household or for one of its tenants. */
export interface StepOf<Of> {
  title: string
  scope: Scope
  /** Why it is not possible now; null if it is not to be spoken of, and undefined if it is possible. */
  whyNot(of: Of, visit: Pick<AgencyVisit, 'now' | 'settings'>): string | null | undefined
  fields(form: Form, of: Of): Html
  button: string
  act(visit: AgencyVisit, form: Form, of: Of): Promise<string | GoTo | Shown>
}

const day = (date: string) => dayInWords(isoDate(date))
const money = (amount: number) => formatPounds(pence(amount))
const keyOf = (form: Form) => ({ key: form.text('key') })
const done = (visit: AgencyVisit, notice: string): GoTo => ({
  goTo: visit.path(`households/${visit.parameters.id}`),
  notice,
})

/** A day that was entered. Throws `FormRejected` for none, or what is no day. */
function dayIn(form: Form, name: string): string {
  return optionalDay(form, name) ?? rejected(name, 'Enter a day, such as 27 3 2027.')
}

function optionalDay(form: Form, name: string): string | undefined {
  const date = form.date(name)
  return date === 'wrong' ? rejected(name, 'Enter a day, such as 27 3 2027.') : (date ?? undefined)
}

function rejected(field: string, text: string): never {
  throw new FormRejected([{ field, text }])
}

function chosenIn<Value extends string>(form: Form, name: string, values: readonly Value[]): Value {
  return values.find((each) => each === form.text(name)) ?? rejected(name, 'Choose one.')
}

/** The page that says what a step would do, before the form is sent once more. */
function confirmed(form: Form): boolean {
  return form.text('confirmed') === 'yes'
}

function askFirst(visit: AgencyVisit, form: Form, page: { title: string; consequences: Html; button: string }): Shown {
  const own = visit.path(`households/${visit.parameters.id}`)
  const entered = form.entered().filter(([name]) => name !== 'formToken')
  const hidden = { ...Object.fromEntries(entered), confirmed: 'yes' }
  return confirmPage(visit, { ...page, back: own, hidden, stay: { text: 'Change nothing', path: own } })
}

/** The fields for somebody who takes over, and what they say. */
const joiner = {
  fields: (form: Form) => html`${textField(form, { name: 'name', label: 'Full name', maxLength: 200 })}
${textField(form, { name: 'email', label: 'E-mail address', type: 'email', maxLength: 254 })}
${textField(form, { name: 'phone', label: 'Phone', hint: 'If you know it.', type: 'tel', maxLength: 40 })}
${textField(form, {
  ...{ name: 'permission', label: 'How did they agree that we write to them?', maxLength: 90 },
  hint: 'For example, “on the booking form”. Leave it empty to send the link yourself.',
})}`,
  of(form: Form, { person, now }: AgencyVisit) {
    const [phone, how] = [form.text('phone'), form.text('permission')]
    const contactPermission = { givenAt: now.toISOString(), by: `${how} (${person.name})` }
    return {
      ...{ name: form.text('name'), email: form.text('email') },
      ...(phone && { phone }),
      ...(how && { contactPermission }),
    }
  },
}

/** Whether the household's quote can still be changed. */
export const isOpen = ({ status }: Pick<OneHousehold, 'status'>) =>
  !['active', 'completed', 'cancelled'].includes(status)
const hasExpired = (household: OneHousehold, now: Date) => isOpen(household) && new Date(household.expiresAt) <= now
const locked = 'Somebody has begun to sign, so the prices are agreed. Reopen the household first.'
const allSigned = 'Everybody has signed.'
const off = 'The household was called off.'

/** Why tenants cannot be changed; undefined if they can. */
export function whyClosed({ status }: OneHousehold): string | undefined {
  if (status === 'cancelled') return off
  if (status === 'completed') return `${allSigned} Replace a tenant instead.`
  return status === 'active' ? locked : undefined
}

/** What can be done for a household, by the last part of its address. */
export const stepsForHousehold = {
  prices: {
    title: 'Get new prices',
    scope: 'quotes:read',
    whyNot: (household, { now }) => (hasExpired(household, now) ? undefined : null),
    fields: () => html`<p>The prices ran out. New ones may be higher or lower. Tell the tenants before they sign.</p>`,
    button: 'Get new prices',
    async act(visit, _form, { quoteId }) {
      await visit.call(quoteTotalCostRoute, { id: quoteId })
      return done(visit, 'prices_new')
    },
  },
  reopen: {
    title: 'Reopen',
    scope: 'quotes:write',
    whyNot: ({ status }) =>
      status === 'active'
        ? undefined
        : status === 'completed'
          ? `${allSigned} Move the first day, or replace a tenant.`
          : null,
    fields: () => html`<p>Then tenants, services and dates can change again. Whoever has signed must sign again.</p>`,
    button: 'Reopen',
    async act(visit, form, { quoteId }) {
      await visit.call(reopenQuoteRoute, { id: quoteId, ...keyOf(form) })
      return done(visit, 'reopened')
    },
  },
  move: {
    title: 'Move the dates',
    scope: 'quotes:write',
    whyNot: ({ status, cost }) =>
      status === 'cancelled' ? off : cost === null ? 'No services are chosen yet.' : undefined,
    fields: (form, household) => html`<p>The tenants are e-mailed, and agree again to the prices for the new days.</p>
${dateField(form, { name: 'contractStartDate', label: 'First day', value: household.contractStartDate })}
${dateField(form, { name: 'contractEndDate', label: 'Last day', value: household.contractEndDate })}`,
    button: 'See what changes',
    async act(visit, form, { quoteId }) {
      const contractEndDate = optionalDay(form, 'contractEndDate')
      const body = { contractStartDate: dayIn(form, 'contractStartDate'), ...(contractEndDate && { contractEndDate }) }
      if (confirmed(form)) {
        await visit.call(moveStartRoute, { id: quoteId, body, ...keyOf(form) })
        return done(visit, 'dates_moved')
      }
      const { before, after, endedContracts } = await visit.call(moveStartRoute, {
        id: quoteId,
        query: { dryRun: 'true' },
        body,
      })
      const terms = [before, after].map(
        (each) => `${day(each.contractStartDate)} to ${day(each.contractEndDate)}: ${money(each.monthlyCost)} a month`,
      )
      const consequences = html`<p>Before: ${terms[0]}.<br>From now on: ${terms[1]}, for all together.</p>
<p>${
        endedContracts.length === 0
          ? 'Nobody has a contract yet.'
          : `${endedContracts.length} contracts end without a fee, and their tenants sign again.`
      }</p>`
      return askFirst(visit, form, { title: 'Move the dates?', consequences, button: 'Move the dates' })
    },
  },
  end: {
    title: 'Say that the tenancy ends',
    scope: 'quotes:write',
    whyNot: ({ status }) =>
      status === 'completed' ? undefined : 'Not everybody has signed, so there is nothing to end.',
    fields: (
      form,
    ) => html`<p>This ends nothing by itself. Each tenant is asked by e-mail, and decides for themselves. You do not see their answers.</p>
${dateField(form, { name: 'lastDay', label: 'Last day of the tenancy', hint: 'Leave it empty to take back what you said before.' })}
${selectField(form, { name: 'reason', label: 'Why', options: labelled(causeWords) })}
${selectField(form, {
  ...{ name: 'evidence', label: 'What shows it' },
  hint: "A landlord's notice does not: a tenancy goes on until its tenants leave.",
  options: [{ value: '', label: 'Nothing' }, ...labelled(evidenceWords)],
})}`,
    button: 'See who is asked',
    async act(visit, form, { quoteId }) {
      const evidence = endEvidences.find((each) => each === form.text('evidence'))
      const lastDay = optionalDay(form, 'lastDay') ?? null
      const body = { lastDay, reason: chosenIn(form, 'reason', publicCauses), ...(evidence && { evidence }) }
      if (confirmed(form)) {
        await visit.call(endHouseholdRoute, { id: quoteId, body, ...keyOf(form) })
        return done(visit, lastDay === null ? 'end_withdrawn' : 'end_said')
      }
      const { askedTenants, answersUntil } = await visit.call(endHouseholdRoute, {
        id: quoteId,
        query: { dryRun: 'true' },
        body,
      })
      const title =
        lastDay === null ? 'Take back that the tenancy ends?' : `Say that the tenancy ends on ${day(lastDay)}?`
      const until = answersUntil === null ? '' : `, and can answer until ${day(answersUntil)}`
      const consequences = html`<p>${
        lastDay === null
          ? 'The tenants who were asked are told that the question is settled.'
          : `${askedTenants} ${askedTenants === 1 ? 'tenant is' : 'tenants are'} asked by e-mail${until}. You decide nothing for them.`
      }</p>`
      return askFirst(visit, form, {
        title,
        consequences,
        button: lastDay === null ? 'Take it back' : 'Ask the tenants',
      })
    },
  },
  occupiers: {
    title: 'Say who moves in and who follows',
    scope: 'quotes:write',
    whyNot: ({ status }) => (status === 'cancelled' ? off : undefined),
    fields: (form, { moveIn }) => html`<p>Suppliers open and close accounts by it. It changes no price.</p>
${dateField(form, { name: 'date', label: 'Day of the keys', value: moveIn?.date ?? '' })}
${selectField(form, {
  ...{ name: 'who', label: 'Who is responsible for the home next' },
  options: [{ value: '', label: 'Leave it as it is' }, ...labelled(occupierWords)],
})}
${textField(form, { name: 'nextName', label: 'Their name', hint: 'If you know it.' })}
${textField(form, { name: 'nextContact', label: 'How to reach them', hint: 'An e-mail address, telephone number or postal address.' })}`,
    button: 'Save',
    async act(visit, form, { quoteId, moveIn }) {
      const date = optionalDay(form, 'date')
      const who = nextOccupierKinds.find((each) => each === form.text('who'))
      const [name, contact] = [form.text('nextName'), form.text('nextContact')]
      if (who === undefined && (name || contact)) rejected('who', 'Choose who is responsible next.')
      const body = {
        ...(date !== undefined && date !== moveIn?.date && { moveIn: { ...moveIn, date } }),
        ...(who && { nextOccupier: { who, ...(name && { name }), ...(contact && { contact }) } }),
      }
      if (Object.keys(body).length > 0) await visit.call(updateOccupiersRoute, { id: quoteId, body })
      return done(visit, 'saved')
    },
  },
  sale: {
    title: 'Change the branch or who sold it',
    scope: 'quotes:write',
    whyNot: () => undefined,
    fields: (form, { branch, soldBy }) => html`<p>Commission that was earned stays where it is.</p>
${textField(form, { name: 'branch', label: 'Branch', value: branch ?? '', maxLength: 100 })}
${textField(form, { name: 'soldBy', label: 'Sold by', value: soldBy ?? '', maxLength: 80 })}`,
    button: 'Save',
    async act(visit, form, household) {
      const changed = (['branch', 'soldBy'] as const).filter((name) => form.text(name) !== (household[name] ?? ''))
      const body = Object.fromEntries(changed.map((name) => [name, form.text(name) || null]))
      if (changed.length > 0) await visit.call(updateQuoteRoute, { id: household.quoteId, body })
      return done(visit, 'saved')
    },
  },
  drop: {
    title: 'Call it off',
    scope: 'quotes:write',
    whyNot: ({ status }) =>
      status === 'cancelled'
        ? off
        : status === 'completed'
          ? `${allSigned} Say that the tenancy ends instead.`
          : undefined,
    fields: () =>
      html`<p>Nobody can sign any more. What somebody has signed never takes effect. This cannot be undone.</p>`,
    button: 'Call it off',
    async act(visit, form, { quoteId }) {
      await visit.call(cancelQuoteRoute, { id: quoteId, ...keyOf(form) })
      return done(visit, 'called_off')
    },
  },
} as const satisfies Readonly<Record<string, StepOf<OneHousehold>>>

const whyNotSigned = ({ tenant }: Pick<TenantOfHousehold, 'tenant'>, then: string) =>
  tenant.status === 'OnboardingComplete' ? undefined : `They have not signed. ${then}`

/** What a tenant can be helped with, by the last part of its address. */
export const stepsForTenant = {
  link: {
    title: 'Send or copy a new link',
    scope: 'customers:onboard',
    whyNot: ({ household: { status } }) => (status === 'cancelled' ? off : undefined),
    fields: (
      _form,
      { household: { sendEmails } },
    ) => html`<p>Earlier links of this tenant end, and so does what they have open.</p>
<p>${
      sendEmails
        ? 'We e-mail it too, if they agreed that we write to them.'
        : 'We do not e-mail it: hand it over yourself.'
    } Nobody else may get it.</p>`,
    button: 'Make a new link',
    async act(visit, form, { household, tenant }) {
      const { url, expiresAt } = await visit.call(createOnboardingLinkRoute, { id: tenant.customerId, ...keyOf(form) })
      const title = `The link of ${nameOf(tenant)}`
      const until = dayInWords(londonDate(new Date(expiresAt)))
      const body = html`<h1>${title}</h1><p>It works until ${until}, for this tenant only. It is not shown again.</p>
<p class="link">${copyable(url)}</p>`
      return { title, body, back: visit.path(`households/${household.quoteId}`) }
    },
  },
  correct: {
    title: 'Correct name, e-mail or phone',
    scope: 'customers:write',
    whyNot: () => undefined,
    fields: (
      form,
      { tenant: { personalDetails } },
    ) => html`<p>They are told of the change. Documents that exist stay as they are.</p>
${Object.entries(detailWords).map(([name, label]) => textField(form, { name, label, value: personalDetails[name as Detail], maxLength: 254 }))}`,
    button: 'Save',
    async act(visit, form, { tenant }) {
      const details = Object.keys(detailWords) as Detail[]
      const changed = details.filter((name) => form.text(name) !== tenant.personalDetails[name])
      const body = Object.fromEntries(changed.map((name) => [name, form.text(name)]))
      if (changed.length > 0) await visit.call(updateCustomerRoute, { id: tenant.customerId, body })
      return done(visit, 'saved')
    },
  },
  drop: {
    title: 'Take off the household',
    scope: 'quotes:write',
    whyNot: ({ household }) => whyClosed(household),
    fields: () => html`<p>What they gave is deleted, and their link ends. The others pay more each.</p>`,
    button: 'Take off',
    async act(visit, form, { household, tenant }) {
      await visit.call(removeTenantsRoute, {
        id: household.quoteId,
        body: { tenantIds: [tenant.customerId] },
        ...keyOf(form),
      })
      return done(visit, 'tenant_dropped')
    },
  },
  replace: {
    title: 'Replace',
    scope: 'customers:write',
    whyNot: ({ household, tenant }) =>
      household.status === 'completed'
        ? household.tenants.some(
            ({ replaces, status }) => replaces === tenant.customerId && status !== 'OnboardingComplete',
          )
          ? 'Somebody is to take over already.'
          : whyNotSigned({ tenant }, 'Withdraw this replacement, and name somebody else.')
        : 'Not everybody has signed. Take them off, and add somebody else.',
    fields: (
      form,
    ) => html`<p>The new tenant takes over the rest of the share under a contract of their own. Until they sign, nothing changes.</p>
${joiner.fields(form)}${dateField(form, { name: 'from', label: 'Their first day' })}`,
    button: 'See what they pay',
    async act(visit, form, { tenant }) {
      const body = { ...joiner.of(form, visit), from: dayIn(form, 'from') }
      if (confirmed(form)) {
        await visit.call(createReplacementRoute, { id: tenant.customerId, body, ...keyOf(form) })
        return done(visit, 'replacement_made')
      }
      const { joiner: pays, from } = await visit.call(createReplacementRoute, {
        id: tenant.customerId,
        query: { dryRun: 'true' },
        body,
      })
      const consequences = html`<p>${body.name} pays ${money(pays.monthlyCost)} in an average month from ${day(from)},
${money(pays.totalCost)} in all. ${nameOf(tenant)} pays until ${body.name} has signed.</p>`
      return askFirst(visit, form, { title: `Replace ${nameOf(tenant)}?`, consequences, button: 'Replace' })
    },
  },
  withdraw: {
    title: 'Withdraw the replacement',
    scope: 'customers:write',
    whyNot: ({ household, tenant }) =>
      household.tenants.some(
        ({ replaces, status }) => replaces === tenant.customerId && status !== 'OnboardingComplete',
      )
        ? undefined
        : null,
    fields: () =>
      html`<p>Whoever was to take over is taken off, with what they gave. This tenant's contract goes on.</p>`,
    button: 'Withdraw',
    async act(visit, form, { tenant }) {
      await visit.call(withdrawReplacementRoute, { id: tenant.customerId, ...keyOf(form) })
      return done(visit, 'replacement_withdrawn')
    },
  },
  notice: {
    title: 'Record their notice',
    scope: 'customers:write',
    whyNot: (of) =>
      of.household.status === 'completed'
        ? whyNotSigned(of, 'There is nothing to end.')
        : 'Not everybody has signed, so there is nothing to end.',
    fields: (
      form,
    ) => html`<p>Only what the tenant told you themselves. They are e-mailed what you record, and what they owe.</p>
${dateField(form, { name: 'sentOn', label: 'Day on which they gave notice' })}
${dateField(form, { name: 'endDate', label: 'Last day of their contract' })}
${textField(form, { name: 'comment', label: 'What they said', hint: 'In your words. It is stored encrypted.', maxLength: 500 })}`,
    button: 'See what happens',
    async act(visit, form, { tenant }) {
      const comment = form.text('comment') || rejected('comment', 'Write what they said.')
      const body = { comment, sentOn: dayIn(form, 'sentOn'), endDate: dayIn(form, 'endDate') }
      if (confirmed(form)) {
        await visit.call(endContractRoute, { id: tenant.customerId, body, ...keyOf(form) })
        return done(visit, 'notice_recorded')
      }
      await visit.call(endContractRoute, { id: tenant.customerId, query: { dryRun: 'true' }, body })
      const consequences = html`<p>The contract of ${nameOf(tenant)} ends on ${day(body.endDate)}.
They are e-mailed at once, with what they owe in the end, and can say that this is wrong.</p>`
      return askFirst(visit, form, {
        title: `Record the notice of ${nameOf(tenant)}?`,
        consequences,
        button: 'Record it',
      })
    },
  },
  reading: {
    title: 'Enter a meter reading',
    scope: 'customers:write',
    whyNot: (of) =>
      of.household.status === 'completed'
        ? whyNotSigned(of, 'Enter it for a tenant who has.')
        : 'Possible once everybody has signed.',
    fields: (
      form,
    ) => html`${choiceField(form, { name: 'service', label: 'Which meter', type: 'radio', options: named(servicesWithMeter) })}
${selectField(form, {
  ...{ name: 'register', label: 'Register', options: named(meterRegisters) },
  hint: 'Day and night are for a meter with two rates.',
})}
${dateField(form, { name: 'readOn', label: 'Day on which it was read' })}
${textField(form, {
  ...{ name: 'reading', label: 'Reading', hint: 'The digits before the decimal point.' },
  ...{ inputMode: 'numeric', size: 'short', maxLength: 8 },
})}`,
    button: 'Save',
    async act(visit, form, { tenant }) {
      if (!/^\d{1,8}$/.test(form.text('reading'))) rejected('reading', 'Enter digits only.')
      const body = {
        ...{
          service: chosenIn(form, 'service', servicesWithMeter),
          register: chosenIn(form, 'register', meterRegisters),
        },
        ...{ readOn: dayIn(form, 'readOn'), reading: Number(form.text('reading')) },
      }
      await visit.call(reportMeterReadingRoute, { id: tenant.customerId, body, ...keyOf(form) })
      return done(visit, 'saved')
    },
  },
  documents: {
    title: 'Open their contract',
    scope: 'customers:read',
    whyNot: ({ tenant }, { settings }) =>
      settings.agentDocuments !== 'on'
        ? 'Your organisation has not opened contracts to its people.'
        : whyNotSigned({ tenant }, 'There is no contract yet.'),
    fields: () => html`<p>It is the tenant's. That you opened it is recorded.</p>`,
    button: 'Open',
    async act(visit, _form, { household, tenant }) {
      if (visit.settings.agentDocuments !== 'on') throw new DomainError('not_found', 'Contracts are not open.')
      const { contractUrl } = await visit.call(contractPageRoute, { id: tenant.customerId })
      const title = `The contract of ${nameOf(tenant)}`
      const body = html`<h1>${title}</h1><p><a class="button" href="${contractUrl}" target="_blank" rel="noreferrer">Read it</a></p>`
      return { title, body, back: visit.path(`households/${household.quoteId}`) }
    },
  },
} as const satisfies Readonly<Record<string, StepOf<TenantOfHousehold>>>

const contractPageRoute = contractUrlRoute('html')

type Detail = keyof typeof detailWords
const detailWords = { firstName: 'First name', lastName: 'Last name', email: 'E-mail address', phone: 'Phone' }
const causeWords = {
  tenancy_ended: 'The tenancy ends',
  tenancy_did_not_start: 'The let fell through',
  property_uninhabitable: 'Nobody can live there any more',
}
const evidenceWords = {
  tenants_notice: "The tenants' notice",
  surrender_signed: 'A signed surrender',
  order_executed: "A court's order that was carried out",
}
const occupierWords = {
  landlord: 'The landlord',
  agent: 'An agent',
  new_tenants: 'New tenants',
  unknown: 'Nobody could find out',
}
const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }))
const labelled = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/** Where the errors of the operations belong, in their own words. */
export const stepProblems = {
  ...fieldsIn(createReplacementRoute, ['/name', '/email', '/phone', '/from']),
  '/contactPermission': { field: 'permission' },
  ...fieldsIn(updateCustomerRoute, ['/firstName', '/lastName', '/email', '/phone']),
  ...fieldsIn(moveStartRoute, ['/contractStartDate', '/contractEndDate']),
  ...fieldsIn(endHouseholdRoute, ['/lastDay', '/reason', '/evidence']),
  ...fieldsIn(updateOccupiersRoute, ['/moveIn/date']),
  '/nextOccupier/name': { field: 'nextName' },
  '/nextOccupier/contact': { field: 'nextContact' },
  ...fieldsIn(updateQuoteRoute, ['/branch', '/soldBy']),
  ...fieldsIn(endContractRoute, ['/sentOn', '/endDate', '/comment']),
  ...fieldsIn(reportMeterReadingRoute, ['/service', '/register', '/readOn', '/reading']),
}

/** What the pages tell has happened, and why something cannot be done now. */
export const householdNotices = {
  tenant_dropped: 'They are off the household.',
  prices_new: 'There are new prices. Tell the tenants before they sign.',
  reopened: 'The household is open again.',
  dates_moved: 'The dates moved. The tenants are e-mailed, and sign again.',
  end_said: 'The tenants are asked by e-mail.',
  end_withdrawn: 'You took back that the tenancy ends.',
  called_off: 'The household was called off.',
  replacement_made: 'They can take over the share. Make their link, and send it to them.',
  replacement_withdrawn: 'The replacement is withdrawn.',
  notice_recorded: 'The notice is recorded, and the tenant is e-mailed.',
  saved: 'Saved.',
  quote_expired: 'The prices ran out. Get new ones first.',
  quote_locked: locked,
  quote_cancelled: off,
  already_onboarded: 'Somebody has signed meanwhile, so this cannot be done any more.',
  packages_required: 'No services are chosen yet.',
  too_many_tenants: 'A household has at most twelve tenants.',
  duplicate_tenant: 'Somebody of this household has that e-mail address. Each tenant needs their own.',
  customer_erased: 'The data of this tenant was erased, so nothing can be done for them.',
  customer_removed: 'This tenant was taken off the household.',
  contract_not_in_force: 'The tenant has no contract for which this can be done.',
  end_date_not_allowed: 'It cannot end on this day. Choose another one.',
  early_exit_not_defined:
    'The terms do not say what leaving early costs. If the tenancy ends, say that; else ask the operator.',
  start_not_movable: 'The first day cannot move any more: the supply was ordered, or it is past.',
  replacement_not_possible: 'The share cannot be taken over now: too little of the contract is left, or it ends.',
  replacement_open: 'Somebody is to take over already. Withdraw that first.',
}
