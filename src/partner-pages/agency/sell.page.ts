import { runAvailabilityCheckRoute } from '../../broadband/availability/availability.route.ts'
import { capitalised } from '../../contracts/bought-services.ts'
import { fieldsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField, selectField, textField } from '../../pages/fields.ts'
import { Form, FormRejected, formOf, hiddenFields, keyField } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { lookupAddressesRoute } from '../../properties/lookup-addresses.route.ts'
import { matchAddressesRoute } from '../../properties/matching/match-addresses.route.ts'
import { normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { type Service, serviceNames } from '../../quoting/packages/services.ts'
import { maxTenants } from '../../quoting/quote-limits.ts'
import type { GivenTenancy } from '../../quoting/quotes/tenancy.ts'
import { createQuoteRoute } from '../../quoting/quotes/write-quotes.route.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'

/** A home that may be meant. */
interface Home {
  addressUid: string
  label: string
}

/** Why no home was found for an address. */
export const noHome: Record<string, string> = {
  postcode_missing: 'Add the postcode',
  postcode_incomplete: 'Enter the whole postcode, such as LS2 9JT',
  postcode_not_served: 'Nobody can be supplied there: only homes in England, Scotland and Wales can',
  no_property_matches: 'No home matches. Check the number and the street, or enter only the postcode',
}

const tenancies: Record<NonNullable<GivenTenancy['type']>, string> = {
  unknown: 'I do not know',
  assured_periodic: 'Assured tenancy (England)',
  private_residential: 'Private residential tenancy (Scotland)',
  occupation_contract: 'Occupation contract (Wales)',
  common_law: 'Common law tenancy',
  licence_or_lodger: 'Licence or lodger',
}

/**
 * Sells by hand: which home, then which services from which day. Until these are known, what was entered is in the form;
 * then there is a quote, on whose pages the rest is done.
 */
export const sellPage: AgencyPage = {
  name: 'sell',
  may: 'quotes:write',
  menu: 'Sell',
  problems: { ...fieldsIn(createQuoteRoute, ['/contractStartDate']), '/packages': { field: 'packages' } },
  async show(visit, form) {
    const written = form.text('address')
    const homes = written === '' || form.problemOf('address') !== undefined ? undefined : await find(visit, written)
    return homes === undefined ? askForHome(visit, form) : askForServices(visit, form, homes)
  },
  async submit(visit, form) {
    const written = form.text('address')
    if (written === '') throw new FormRejected([{ field: 'address', text: 'Enter a postcode or an address' }])
    if (form.text('do') !== 'quote') return askForServices(visit, form, await find(visit, written))
    const { quoteId, people, services } = await create(visit, form)
    const next = services.includes('broadband') ? `sell/${quoteId}/broadband` : `sell/${quoteId}`
    return `${visit.path(next)}?people=${people}`
  },
}

function askForHome({ session }: AgencyVisit, form: Form): Shown {
  const hint = 'The postcode is enough. With the number and the street there is less to choose.'
  const field = textField(form, { name: 'address', label: 'Postcode or address', hint, maxLength: 500 })
  const title = 'Sell to a household'
  return { title, body: html`<h1>${title}</h1>${formOf(session.formToken, field, 'Find the home')}` }
}

/** The homes that may be meant, the likeliest first. Throws `FormRejected` if there is none. */
async function find({ call }: AgencyVisit, written: string): Promise<Home[]> {
  const postcode = normalisePostcode(written)
  const match =
    postcode === null ? (await call(matchAddressesRoute, { body: { lines: [written] } })).matches[0] : undefined
  const found =
    postcode === null ? (match?.candidates ?? []) : await call(lookupAddressesRoute, { query: { postcode } })
  if (found.length === 0) {
    const text = noHome[match?.reason ?? ''] ?? 'There is no home that you can sell to. Check the postcode'
    throw new FormRejected([{ field: 'address', text }])
  }
  return found.map(({ addressUid, addressLine1, addressLine2, city, postCode }) => ({
    addressUid,
    label: [addressLine1, addressLine2, city, postCode].filter((line) => line !== '').join(', '),
  }))
}

function askForServices({ session, person, path }: AgencyVisit, entered: Form, homes: readonly Home[]): Shown {
  const isNew = entered.text('do') !== 'quote'
  const form = isNew ? withAllServices(entered) : entered
  const [only, ...others] = homes
  const none = { value: '', label: `Choose one of ${homes.length}` }
  const fields = html`${hiddenFields([
    ['do', 'quote'],
    ['address', form.text('address')],
  ])}${keyField(form)}
${selectField(form, {
  ...{ name: 'addressUid', label: 'Home', value: others.length === 0 ? (only?.addressUid ?? '') : '' },
  options: [
    ...(others.length === 0 ? [] : [none]),
    ...homes.map(({ addressUid, label }) => ({ value: addressUid, label })),
  ],
})}
${choiceField(form, {
  ...{ name: 'packages', label: 'Services', type: 'checkbox' },
  options: serviceNames().map((value) => ({ value, label: capitalised(value) })),
})}
${dateField(form, {
  ...{ name: 'contractStartDate', label: 'First day' },
  hint: 'The day they move in, such as 31 1 2027. Leave it empty for the earliest usual day.',
})}
${selectField(form, {
  ...{ name: 'tenancy', label: 'Tenancy', value: 'unknown' },
  options: Object.entries(tenancies).map(([value, label]) => ({ value, label })),
})}
${selectField(form, {
  ...{ name: 'people', label: 'How many people share the bills?', value: '2' },
  options: Array.from({ length: maxTenants }, (_, index) => String(index + 1)).map((value) => ({
    value,
    label: value,
  })),
})}
${
  person.branches.length > 1 &&
  selectField(form, {
    ...{ name: 'branch', label: 'Branch', value: person.branches[0] ?? '' },
    options: person.branches.map((value) => ({ value, label: value })),
  })
}`
  const title = 'Home and services'
  const body = html`<h1>${title}</h1>${formOf(session.formToken, fields, 'Show the price')}`
  return { title, back: path('sell'), body }
}

/** The form of the home with every service ticked. */
function withAllServices(form: Form): Form {
  const services = serviceNames().map((service) => ['packages', service])
  return new Form(new URLSearchParams([...form.entered().filter(([name]) => name !== 'key'), ...services]))
}

async function create(visit: AgencyVisit, form: Form) {
  const { call, person } = visit
  const services = serviceNames().filter((service) => form.chosen('packages').includes(service))
  const start = form.date('contractStartDate')
  const addressUid = form.text('addressUid')
  const problems = [
    ...(addressUid === '' ? [{ field: 'addressUid', text: 'Choose the home' }] : []),
    ...(services.length === 0 ? [{ field: 'packages', text: 'Choose at least one service' }] : []),
    ...(start === 'wrong' ? [{ field: 'contractStartDate', text: 'Enter the day as day, month and year' }] : []),
  ]
  if (problems.length > 0) throw new FormRejected(problems)
  const type = (Object.keys(tenancies) as (keyof typeof tenancies)[]).find((each) => each === form.text('tenancy'))
  const [first, ...more] = person.branches
  const branch = more.length === 0 ? first : person.branches.find((each) => each === form.text('branch'))
  const body = {
    ...{ addressUid, packages: services, sendEmails: true, soldBy: person.personId },
    ...(start === null ? {} : { contractStartDate: start }),
    ...(type === undefined || type === 'unknown' ? {} : { tenancy: { type } }),
    ...(branch === undefined ? {} : { branch }),
  }
  try {
    const { quoteId } = await call(createQuoteRoute, { body, key: form.text('key') })
    // What is on offer is kept for a day: the next page shows it, whatever the providers do meanwhile.
    if (services.includes('broadband')) await call(runAvailabilityCheckRoute, { id: addressUid })
    return { quoteId, services, people: Number(form.text('people')) || 2 }
  } catch (error) {
    throw notForThisHome(error, services)
  }
}

/** The error of a service that the home cannot have, at its field. */
function notForThisHome(error: unknown, services: readonly Service[]): unknown {
  if (!(error instanceof DomainError) || error.code !== 'package_not_available') return error
  const missing = error.fields.flatMap(({ pointer }) => services[Number(pointer.split('/').at(-1))] ?? [])
  return new FormRejected([{ field: 'packages', text: `This home cannot have ${missing.join(' or ')}. Untick it` }])
}
