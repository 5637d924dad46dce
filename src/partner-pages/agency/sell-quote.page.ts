import { runAvailabilityCheckRoute } from '../../broadband/availability/availability.route.ts'
import {
  addBroadbandProductsRoute,
  getInstallDatesRoute,
  selectInstallDateRoute,
} from '../../broadband/broadband.route.ts'
import { capitalised } from '../../contracts/bought-services.ts'
import { createOnboardingLinkRoute } from '../../contracts/links/onboarding-links.route.ts'
import { listMailsRoute } from '../../contracts/mails/list-mails.route.ts'
import { boxField, choiceField, dateField, longTextField, selectField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf, hiddenFields, keyField } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { copyable, dataTable, descriptionList } from '../../pages/lists.ts'
import type { NoticeWords } from '../../pages/notices.ts'
import { type IsoDate, isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import { updatePackagesRoute } from '../../quoting/packages/packages.route.ts'
import { estimateQuoteRoute, quoteTotalCostRoute } from '../../quoting/pricing/pricing.route.ts'
import { maxTenants } from '../../quoting/quote-limits.ts'
import { getQuoteRoute } from '../../quoting/quotes/read-quotes.route.ts'
import { updateQuoteRoute } from '../../quoting/quotes/write-quotes.route.ts'
import type { TenantInput } from '../../quoting/tenants/personal-details.schema.ts'
import { addTenantsRoute } from '../../quoting/tenants/tenants.route.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'
import { isOpen } from './household-steps.ts'

const pounds = (amount: number) => formatPounds(pence(amount))
const day = (date: string) => dayInWords(isoDate(date))
const address = ({ addressLine1, city, postCode }: SoldQuote['address']) => `${addressLine1}, ${city}, ${postCode}`
const pathOf = ({ path, parameters }: AgencyVisit, page = '') => path(`sell/${parameters.id}${page}`)
const peopleIn = ({ query }: AgencyVisit) =>
  Math.min(Math.max(Math.trunc(Number(query.get('people'))) || 2, 1), maxTenants)

const readQuote = ({ call, parameters: { id } }: AgencyVisit) => call(getQuoteRoute, { id })
type SoldQuote = Awaited<ReturnType<typeof readQuote>>
const estimateFor = ({ call, parameters: { id } }: AgencyVisit, tenants: number) =>
  call(estimateQuoteRoute, { id, query: { tenants } })
type Estimate = Awaited<ReturnType<typeof estimateFor>>

/** The line and its add-ons, then the day on which it is installed. */
export const sellBroadbandPage: AgencyPage = {
  name: 'sell-broadband',
  path: 'sell/:id/broadband',
  may: 'quotes:write',
  async show(visit, form) {
    const quote = await readQuote(visit)
    const back = `${pathOf(visit)}?people=${peopleIn(visit)}`
    const isChosen = quote.broadbandProducts.length > 0 && !visit.query.has('again')
    const title = isChosen ? 'When is broadband installed?' : 'Which broadband?'
    const content = isChosen ? await askForDay(visit, quote, form) : askForProduct(visit, quote, form)
    const without = quote.selectedPackages.length > 1 && !isChosen
    const leave = hiddenFields([['do', 'without']])
    const body = html`<h1>${title}</h1><p>${address(quote.address)}</p>${content}
${without && formOf(visit.session.formToken, html`${leave}`, 'Go on without broadband', { look: 'plain' })}`
    return { title, back, body }
  },
  async submit(visit, form) {
    const { call, parameters } = visit
    const id = parameters.id
    const here = `${pathOf(visit, '/broadband')}?people=${peopleIn(visit)}`
    const next = `${pathOf(visit)}?people=${peopleIn(visit)}`
    switch (form.text('do')) {
      case 'check':
        await call(runAvailabilityCheckRoute, { id: (await readQuote(visit)).address.addressUid })
        return here
      case 'without': {
        const { selectedPackages } = await readQuote(visit)
        const packageIds = selectedPackages.flatMap(({ packageId, type }) => (type === 'broadband' ? [] : [packageId]))
        await call(updatePackagesRoute, { id, body: { packageIds } })
        return next
      }
      case 'day':
        if (form.text('date') === '') return next
        await call(selectInstallDateRoute, { id, body: { date: form.text('date') } })
        return next
      default: {
        const broadbandProducts = [...form.chosen('line'), ...form.chosen('addons')]
        if (form.text('line') === '') throw new FormRejected([{ field: 'line', text: 'Choose a line' }])
        await call(addBroadbandProductsRoute, { id, body: { broadbandProducts } })
        return here
      }
    }
  },
}

function askForProduct({ session }: AgencyVisit, { availableBroadbandProducts: offered }: SoldQuote, form: Form): Html {
  const options = (kind: 'line' | 'addon') =>
    offered
      .filter((product) => product.kind === kind)
      .map(({ productId, name, speed, price, setupPrice }) => ({
        ...{ value: productId, label: name },
        hint: `${kind === 'line' ? `${speed} Mbps, ` : ''}${pounds(price)} a month${setupPrice > 0 ? `, set-up ${pounds(setupPrice)}` : ''}`,
      }))
  const [lines, addons] = [options('line'), options('addon')]
  if (lines.length === 0) {
    const again = hiddenFields([['do', 'check']])
    return html`<p>No broadband is known for this home at present: there is none, or its provider did not respond.</p>
${formOf(session.formToken, html`${again}`, 'Look again')}`
  }
  const fields = html`${choiceField(form, { name: 'line', label: 'Line', type: 'radio', options: lines })}
${addons.length > 0 && choiceField(form, { name: 'addons', label: 'Add-ons', type: 'checkbox', options: addons })}`
  return formOf(session.formToken, fields, 'Continue')
}

async function askForDay(visit: AgencyVisit, quote: SoldQuote, form: Form): Promise<Html> {
  const { call, session } = visit
  const { availableDates, earliestDate, selectedDate } = await call(getInstallDatesRoute, { id: quote.quoteId })
  const options = availableDates.map((value) => ({ value, label: day(value) }))
  const fields = html`${hiddenFields([['do', 'day']])}
${selectField(form, { name: 'date', label: 'Day', hint: 'Broadband is charged from this day.', value: selectedDate ?? earliestDate, options })}`
  const again = `${pathOf(visit, '/broadband')}?people=${peopleIn(visit)}&again`
  return html`<p>${listInWords(quote.broadbandProducts.map(({ name }) => name))}. <a href="${again}">Choose another</a></p>
${formOf(session.formToken, fields, 'Continue')}`
}

/** What the household pays, for a message too, and who lives there. */
export const sellQuotePage: AgencyPage = {
  name: 'sell-quote',
  path: 'sell/:id',
  may: 'quotes:write',
  problems: Object.fromEntries(
    Array.from({ length: maxTenants }, (_, index) => index).flatMap((index) =>
      Object.entries({
        name: 'name',
        email: 'e-mail address: each needs one that only they read',
        phone: 'phone number',
        'contactPermission/givenAt': 'day: it cannot be ahead',
      }).map(([name, what]) => [
        `/tenants/${index}/${name}`,
        { field: name.startsWith('contact') ? 'agreedOn' : 'tenants', text: `Check person ${index + 1}’s ${what}` },
      ]),
    ),
  ),
  async show(visit, form) {
    const quote = await readQuote(visit)
    const title = 'What it costs'
    if (quote.selectedPackages.length === 0) {
      const text = 'Nothing is selected for this home any more.'
      return { title, body: html`<h1>${title}</h1><p>${text}</p><p><a href="${visit.path('sell')}">Sell again</a></p>` }
    }
    const people = quote.tenants.length || peopleIn(visit)
    const estimate = await estimateFor(visit, people)
    const options = Array.from({ length: maxTenants }, (_, index) => String(index + 1))
    const field = selectField(form, {
      ...{ name: 'people', label: 'For how many people?', value: String(people) },
      options: options.map((value) => ({ value, label: value })),
    })
    const bar =
      quote.tenants.length === 0 &&
      html`<form method="get" class="filter">${field}<button type="submit" class="second">Show</button></form>`
    const body = html`<h1>${title}</h1><p>${address(quote.address)}</p>${figures(quote, estimate)}${bar}
${broadbandLink(visit, quote)}<h2>As a message</h2><pre class="message">${await message(visit, quote, estimate)}</pre>
<h2>Tenants</h2>${tenantsOf(visit, quote, estimate, form)}`
    return { title, back: visit.path('sell'), body }
  },
  async submit(visit, form) {
    const { call, parameters, person, now } = visit
    const id = parameters.id
    switch (form.text('do')) {
      case 'renew':
        await call(quoteTotalCostRoute, { id })
        return pathOf(visit)
      default: {
        const how = form.text('permission')
        const on = form.date('agreedOn') ?? londonDate(now)
        if (on === 'wrong')
          throw new FormRejected([{ field: 'agreedOn', text: 'Enter the day as day, month and year' }])
        const by = how === '' ? undefined : { givenAt: `${on}T00:00:00Z`, by: `${how} (${person.name})`.slice(0, 200) }
        const tenants = tenantsIn(form.text('tenants')).map(
          ({ email, ...rest }): TenantInput =>
            email === undefined || by === undefined
              ? { ...rest, ...(email === undefined ? {} : { email }), link: 'returned' }
              : { ...rest, email, contactPermission: by },
        )
        await call(addTenantsRoute, { id, body: { tenants }, key: form.text('key') })
        return pathOf(visit, '/links')
      }
    }
  },
}

function figures({ tenants }: SoldQuote, { shares, ...all }: Estimate): Html {
  const [share] = shares
  const isAlone = tenants.length === 1 || shares.length === 1
  const both = (whole: number, own = 0) =>
    `${pounds(whole)}${isAlone ? '' : `: ${pounds(own)} each for ${shares.length} people`}`
  const setUp = all.setupCost > 0 ? `, with set-up of ${pounds(all.setupCost)}` : ''
  return descriptionList([
    ['A month', both(all.monthlyCost, share?.monthlyCost)],
    ['In all', `${both(all.totalCost, share?.totalCost)}${setUp}`],
    [
      'First payment',
      share && `${pounds(share.firstPayment.amount)}${isAlone ? '' : ' each'}, on ${day(share.firstPayment.date)}`,
    ],
    ['Contract', `${capitalised(all.contractTerm)}: ${day(all.contractStartDate)} to ${day(all.contractEndDate)}`],
    ['Prices hold until', dayInWords(untilOf(all))],
  ])
}

const untilOf = ({ expiresAt }: Pick<Estimate, 'expiresAt'>): IsoDate => londonDate(new Date(expiresAt))

function broadbandLink(visit: AgencyVisit, quote: SoldQuote): Html | null {
  if (!isOpen(quote) || !quote.packages.some(({ type }) => type === 'broadband')) return null
  const isSelected = quote.selectedPackages.some(({ type }) => type === 'broadband')
  const without = isSelected ? 'Choose broadband: without a line it is not in the price' : 'Add broadband'
  const text = quote.broadbandProducts.length === 0 ? without : 'Change broadband or its day'
  return html`<p><a href="${pathOf(visit, '/broadband')}?people=${peopleIn(visit)}">${text}</a></p>`
}

/** What one can send before anybody's name is known. */
async function message(visit: AgencyVisit, quote: SoldQuote, { lines, shares, ...all }: Estimate): Promise<string> {
  const paid = await visit.commission()
  const [share] = shares
  const isAlone = shares.length === 1
  return [
    `Bills for ${address(quote.address)}${isAlone ? '' : `, for ${shares.length} people`}`,
    `${listInWords(lines.map(({ name }) => name))}, from ${day(all.contractStartDate)}, ${all.contractTerm}.`,
    ...(share === undefined
      ? []
      : [
          `${pounds(share.monthlyCost)} a month${isAlone ? '' : ` each (${pounds(all.monthlyCost)} for the home)`}.`,
          `In all, for the whole contract: ${pounds(share.totalCost)}${isAlone ? '' : ` each (${pounds(all.totalCost)} for the home)`}${all.setupCost > 0 ? `, of which ${pounds(share.setupCost)} is set-up` : ''}.`,
          `First payment: ${pounds(share.firstPayment.amount)}${isAlone ? '' : ' each'}, on ${day(share.firstPayment.date)}.`,
        ]),
    `Sold by ${visit.seller}. These prices hold until ${dayInWords(untilOf(all))}.`,
    `You do not have to take this. ${paid === undefined ? '' : `We are paid for introducing you: ${paid}. `}You sign yourself, on your own phone.`,
  ].join('\n')
}

function tenantsOf(visit: AgencyVisit, quote: SoldQuote, { expired }: Estimate, form: Form): Html {
  const { session } = visit
  if (!isOpen(quote)) return html`<p>${whyClosed(quote)}</p>`
  if (expired) {
    const renew = hiddenFields([['do', 'renew']])
    return quote.tenants.length === 0
      ? html`<p>The prices have run out. <a href="${visit.path('sell')}">Sell again</a> for new ones.</p>`
      : html`<p>The prices have run out.</p>${formOf(session.formToken, html`${renew}`, 'Get new prices')}`
  }
  const household = visit.path(`households/${quote.quoteId}`)
  const columns = [
    { heading: 'Name', cell: ({ name }: SoldQuote['tenants'][number]) => name },
    { heading: 'E-mail address', cell: ({ email }: SoldQuote['tenants'][number]) => email || 'None yet' },
  ]
  const free = maxTenants - quote.tenants.length
  const fields = html`${keyField(form)}
${longTextField(form, {
  ...{ name: 'tenants', label: quote.tenants.length === 0 ? 'Who are they?' : 'Who else?', rows: 5, hasFile: false },
  hint: `Paste a line for each person: name, e-mail address, phone number. Up to ${free}. The first leads the household. Without an address, you hand over the link, and their pages ask for it.`,
})}
${textField(form, {
  ...{ name: 'permission', label: 'How did they agree that we write to them?', maxLength: 90 },
  hint: 'For example, “on the booking form”. We then e-mail them their links. Leave it empty to send the links yourself.',
})}
${dateField(form, { name: 'agreedOn', label: 'When did they agree?', value: londonDate(visit.now) })}`
  return html`${dataTable({ caption: 'Who is on it', columns }, quote.tenants)}
${quote.tenants.length > 0 && html`<p><a href="${household}">Correct somebody, or take them off</a></p><p><a class="button" href="${pathOf(visit, '/links')}">Go on to the links</a></p>`}
${free > 0 && formOf(session.formToken, fields, quote.tenants.length === 0 ? 'Continue' : 'Add them', { look: quote.tenants.length === 0 ? 'first' : 'second' })}`
}

function whyClosed({ status, lockedUntil }: SoldQuote): string {
  if (status === 'cancelled') return 'This quote was cancelled.'
  if (status === 'completed') return 'Everybody has signed.'
  const until = lockedUntil === null ? '' : ` until ${dayInWords(londonDate(new Date(lockedUntil)))}`
  return `Somebody is signing, so nothing can be changed${until}.`
}

/** A person of a pasted list. */
interface Pasted {
  name: string
  email?: string
  phone?: string
}

/**
 * The people of a pasted text: one a line or, as e-mail programs write them, between semicolons. Each has a name, and an
 * e-mail address and a phone number in any place. Throws `FormRejected` for a line without a name.
 */
export function tenantsIn(text: string): Pasted[] {
  const lines = text.split(/[\n;]/).filter((line) => line.trim() !== '')
  const rejected = (problem: string) => new FormRejected([{ field: 'tenants', text: problem }])
  if (lines.length === 0) throw rejected('Enter at least one person')
  return lines.map((line, index) => {
    const [email = ''] = /[^\s<>()[\],:"]+@[^\s<>()[\],:"]+/.exec(line) ?? []
    const rest = line.replace(email, ' ').replace(/\bmailto:/i, ' ')
    const [phone = ''] = /(?:\+|\b00|\(?\b0)[\d\s().-]{8,}\d/.exec(rest) ?? []
    const words = rest.replace(phone, ' ').replaceAll(/[\t<>()[\]":]|,(?=\s*(?:,|$))|^\s*[,*•-]+/g, ' ')
    const [last = '', first, ...more] = words.split(',').map((part) => part.replaceAll(/\s+/g, ' ').trim())
    const name =
      first === undefined || more.length > 0
        ? [last, first, ...more].filter(Boolean).join(' ')
        : `${first} ${last}`.trim()
    if (name === '') throw rejected(`Person ${index + 1} has no name`)
    if (email !== '' && email.indexOf('@') !== email.lastIndexOf('@'))
      throw rejected(`Check person ${index + 1}’s e-mail address`)
    return { name, ...(email === '' ? {} : { email }), ...(phone === '' ? {} : { phone: phone.trim() }) }
  })
}

/** Each tenant's link: sent, and shown once to hand it over. */
export const sellLinksPage: AgencyPage = {
  name: 'sell-links',
  path: 'sell/:id/links',
  may: 'customers:onboard',
  async show(visit, form) {
    const quote = await readQuote(visit)
    const title = 'Send the links'
    const back = pathOf(visit)
    const unsigned = quote.tenants.filter(({ status }) => status !== 'OnboardingComplete')
    if (unsigned.length === 0 || quote.status === 'cancelled') {
      const why = quote.tenants.length === 0 ? 'Nobody is on this quote yet.' : whyClosed(quote)
      return { title, back, body: html`<h1>${title}</h1><p>${why}</p>` }
    }
    const estimate = await estimateFor(visit, quote.tenants.length)
    if (isOpen(quote) && estimate.expired) return { goTo: back }
    const complete =
      isOpen(quote) && !quote.householdComplete
        ? boxField(form, {
            name: 'complete',
            label: 'These are all who share the bills',
            hint: 'Leave it empty if you do not know. Then the first of them is asked.',
          })
        : null
    const body = html`<h1>${title}</h1><p>${address(quote.address)}</p>${figures(quote, estimate)}
<ul>${unsigned.map(({ name, email }) => html`<li>${name}: ${email || 'no e-mail address yet'}</li>`)}</ul>
<p>You see a link for each of them on the next page. Whoever agreed to e-mails also gets theirs from us. Links that were made before stop working.</p>
${formOf(visit.session.formToken, html`${keyField(form)}${complete}`, 'Send and show the links')}`
    return { title, back, body }
  },
  async submit(visit, form) {
    const { call, parameters } = visit
    const quote = await readQuote(visit)
    if (form.text('complete') === 'yes')
      await call(updateQuoteRoute, { id: parameters.id, body: { householdComplete: true } })
    const unsigned = quote.tenants.filter(({ status }) => status !== 'OnboardingComplete')
    return links(visit, quote, await Promise.all(unsigned.map((tenant) => linkOf(visit, form, tenant))))
  },
}

async function linkOf({ call }: AgencyVisit, form: Form, { tenantId: id, name, email }: SoldQuote['tenants'][number]) {
  const { url } = await call(createOnboardingLinkRoute, { id, key: `${form.text('key')}-${id}` })
  const { emails } = await call(listMailsRoute, { id })
  const [mail] = emails.filter(({ kind }) => kind === 'link')
  return { name, email, url, isSent: mail !== undefined && (mail.outcome === null || mail.outcome === 'sent') }
}

function links(visit: AgencyVisit, quote: SoldQuote, made: readonly Awaited<ReturnType<typeof linkOf>>[]): Shown {
  const title = 'The links'
  const items = made.map(
    ({ name, email, url, isSent }) =>
      html`<h2>${name}</h2><p>${isSent ? `We e-mail it to ${email}. You need not send it too.` : 'Send this to them only, or print it.'}</p><p class="link">${copyable(url)}</p>`,
  )
  const body = html`<h1>${title}</h1><p>${address(quote.address)}. Each link opens one person’s pages, for 30 days. It is shown here once.</p>${items}
<p><a class="button" href="${visit.path('sell')}">Sell to another household</a></p>`
  return { title, back: pathOf(visit), body }
}

/** The errors that the pages can cause beside a field. */
export const sellNotices: NoticeWords = {
  address_not_serviceable: 'This home cannot be supplied.',
  install_date_not_available: 'That day is gone meanwhile. Choose another.',
  broadband_product_not_available: 'That is not on offer any more. Choose again.',
  broadband_check_required: 'What is on offer was found too long ago. Look again.',
}
