import type { Static } from 'typebox'
import { selectField, textField } from '../../pages/fields.ts'
import { type HtmlValue, html } from '../../pages/html.ts'
import { type Column, csvLink, csvOfList, dataTable, filterBar, pagingLinks } from '../../pages/lists.ts'
import { listPeople } from '../../people/manage-people.ts'
import { isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import type { QuoteStatus } from '../../quoting/quotes/quote.ts'
import { listQuotesRoute } from '../../quoting/quotes/read-quotes.route.ts'
import { type EmailFate, fullName, hasCard, type NextStep } from '../../quoting/tenants/customer.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'

type ListedQuote = Static<(typeof listQuotesRoute)['reply']>['data'][number]
type ListedTenant = NonNullable<ListedQuote['customers']>[number]
/** What a list and the household's own page say alike. */
export type Household = Pick<ListedQuote, 'status' | 'expiresAt' | 'lockedUntil' | 'contractStartDate'> &
  Pick<ListedQuote, 'contractEndDate' | 'customers'>

const nextStepWords: Readonly<Record<NextStep, string>> = {
  details: 'give their details',
  card: 'add a card',
  agreement: 'agree to the contract',
}
/** The filter of the list by who is missing. */
const missingWords = Object.entries({
  details: 'Details',
  card: 'A card',
  agreement: 'Agreement',
} as const satisfies Record<NextStep, string>)
const statusWords: Readonly<Record<QuoteStatus, string>> = {
  draft: 'Nothing chosen yet',
  PackagesSelected: 'Open, services chosen',
  TenantsAdded: 'Open, tenants added',
  PackagesUpdated: 'Open, services changed',
  BroadbandAdded: 'Open, broadband added',
  active: 'Signing, prices agreed',
  completed: 'Everybody has signed',
  cancelled: 'Called off',
}
/** What became of an e-mail. */
export const emailWords: Readonly<Record<EmailFate, string>> = {
  sent: 'sent',
  given_up: 'did not arrive, their mail server did not take it',
  refused: 'refused, somebody there said that they are not who was meant',
  not_permitted: 'not sent, nobody recorded that they agreed to e-mails',
  test_address: 'not sent, nobody can have this address',
}

/** The name of a tenant. */
export const nameOf = ({ personalDetails }: Pick<ListedTenant, 'personalDetails'>) => fullName(personalDetails)

/** What a tenant has to do next; null if nothing. Nothing in it says whether a card or a payment failed. */
export function nextStepOf({ status, paymentStatus }: Pick<ListedTenant, 'status' | 'paymentStatus'>): NextStep | null {
  if (status === 'active') return 'details'
  if (status === 'OnboardingComplete') return null
  return hasCard({ paymentStatus }) ? 'agreement' : 'card'
}

/** What a tenant has done or has to do. */
export function tenantInWords(tenant: ListedTenant, { status }: Household): string {
  const step = nextStepOf(tenant)
  if (step !== null) return status === 'cancelled' ? 'Did not sign' : `Has to ${nextStepWords[step]}`
  return status === 'completed' ? 'Has signed' : 'Has signed, and waits for the others'
}

/** Who has to do what, such as `Ben and Cy have to add a card`. */
export function missingInWords({ customers = [] }: Household): string {
  const by = Map.groupBy(customers, nextStepOf)
  const parts = Object.entries(nextStepWords).flatMap(([step, todo]) => {
    const names = (by.get(step as NextStep) ?? []).map((each) => nameOf(each) || 'Somebody')
    return names.length === 0 ? [] : [`${listInWords(names)} ${names.length === 1 ? 'has' : 'have'} to ${todo}`]
  })
  return parts.join('; ')
}

/** Where a household stands, such as `Ben has to add a card; prices hold until 12 December 2026`. */
export function householdInWords(household: Household, now: Date): string {
  const { status, contractStartDate, contractEndDate, customers = [] } = household
  const missing = missingInWords(household)
  const today = londonDate(now)
  if (status === 'cancelled') return 'Called off'
  if (status === 'completed') {
    const contracts =
      contractEndDate < today
        ? `The contracts ended on ${dayInWords(isoDate(contractEndDate))}`
        : contractStartDate > today
          ? `Everybody has signed; the contracts start on ${dayInWords(isoDate(contractStartDate))}`
          : `The contracts run until ${dayInWords(isoDate(contractEndDate))}`
    return missing === '' ? contracts : `${contracts}; ${missing}`
  }
  const who = customers.length === 0 ? 'Nobody is added yet' : missing || 'Everybody has signed'
  const until = new Date(household.lockedUntil ?? household.expiresAt)
  const hold = dayInWords(londonDate(until))
  return until <= now ? `${who}; the prices ran out on ${hold}` : `${who}; prices hold until ${hold}`
}

/** What became of the last e-mail to each, such as `Sent`, or `Ben: refused, …; Ada: sent`. */
function mailsInWords({ customers = [] }: ListedQuote): string {
  const fates = customers.map(({ lastEmail }) => (lastEmail === null ? 'none yet' : emailWords[lastEmail]))
  const [first = 'none yet'] = fates
  const isSame = fates.every((fate) => fate === first)
  return isSame
    ? `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`
    : customers.map((each, index) => `${nameOf(each)}: ${fates[index]}`).join('; ')
}

/** The names of the partner's people by their ids, for who sold something. */
export async function sellers({ own, partnerId }: AgencyVisit, soldBy: readonly (string | null)[]) {
  const isPerson = (each: string | null) => each?.startsWith('person_')
  const people = soldBy.some(isPerson) ? await listPeople(own, partnerId) : []
  const names = new Map<string, string>(people.map(({ personId, name }) => [personId, name]))
  return (each: string | null) => (each === null ? '' : (names.get(each) ?? each))
}

type NameSeller = Awaited<ReturnType<typeof sellers>>

/** What the table shows of a household, and the file alike. */
const shownOf = (quote: ListedQuote, now: Date, seller: NameSeller) => ({
  address: `${quote.address.addressLine1}, ${quote.address.postCode}`,
  state: householdInWords(quote, now),
  missing: quote.status === 'cancelled' ? '' : listInWords((quote.customers ?? []).filter(nextStepOf).map(nameOf)),
  emails: mailsInWords(quote),
  firstDay: quote.contractStartDate,
  branch: quote.branch ?? '',
  soldBy: seller(quote.soldBy),
  reference: quote.reference ?? '',
})

/** The partner's households, newest first. */
export const householdsPage: AgencyPage = {
  name: 'households',
  may: 'quotes:read',
  menu: 'Households',
  async show(visit) {
    const { call, query, path, now } = visit
    const given = (name: string) => query.get(name)?.trim() || undefined
    const filter = {
      ...{ postcode: given('postcode'), reference: given('reference'), branch: given('branch') },
      soldBy: given('soldBy'),
      status: Object.keys(statusWords).find((each) => each === given('status')) as QuoteStatus | undefined,
      waitingFor: missingWords.find(([step]) => step === given('missing'))?.[0] as NextStep | undefined,
      include: 'customers' as const,
    }
    const read = async (cursor: string | undefined, limit: number) => {
      const { data, nextCursor } = await call(listQuotesRoute, { query: { ...filter, cursor, limit } })
      const seller = await sellers(
        visit,
        data.map(({ soldBy }) => soldBy),
      )
      return { nextCursor, data: data.map((quote) => ({ quoteId: quote.quoteId, ...shownOf(quote, now, seller) })) }
    }
    const csv = await csvOfList(
      { query, path },
      'households',
      (cursor) => read(cursor, 100),
      ({ quoteId: _, ...shown }) => shown,
    )
    if (csv !== undefined) return csv
    const { data, nextCursor } = await read(given('cursor'), 25)
    const options = (values: readonly (readonly [string, string])[]) => [
      { value: '', label: 'Any' },
      ...values.map(([value, label]) => ({ value, label })),
    ]
    const bar = filterBar({ query }, (form) => [
      textField(form, { name: 'postcode', label: 'Postcode', maxLength: 10 }),
      textField(form, { name: 'reference', label: 'Your reference', maxLength: 100 }),
      selectField(form, { name: 'status', label: 'State', options: options(Object.entries(statusWords)) }),
      selectField(form, { name: 'missing', label: 'What is missing', options: options(missingWords) }),
      textField(form, { name: 'branch', label: 'Branch', maxLength: 100 }),
      textField(form, {
        name: 'soldBy',
        label: 'Sold by',
        hint: 'As it was entered, or the id of a person.',
        maxLength: 80,
      }),
    ])
    type Row = (typeof data)[number]
    const text = (heading: string, cell: (row: Row) => HtmlValue): Column<Row> => ({ heading, cell })
    const columns = [
      text('Address', ({ quoteId, address }) => html`<a href="${path(`households/${quoteId}`)}">${address}</a>`),
      text('State', ({ state }) => state),
      text('Missing', ({ missing }) => missing || 'Nobody'),
      text('Last e-mail', ({ emails }) => emails),
      text('First day', ({ firstDay }) => dayInWords(isoDate(firstDay))),
      text('Branch', ({ branch }) => branch),
      text('Sold by', ({ soldBy }) => soldBy),
      text('Reference', ({ reference }) => reference),
    ]
    const empty = query.size === 0 ? 'You have no households yet.' : 'No household matches. Change the filter.'
    const body = html`<h1>Households</h1>${bar}
${dataTable({ caption: 'Households, newest first', columns, empty }, data)}
${pagingLinks({ query }, nextCursor)}${data.length > 0 && csvLink({ query })}`
    return { title: 'Households', body, isWide: true }
  },
}
