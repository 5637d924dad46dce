import type { Static } from 'typebox'
import { listCustomerContractsRoute } from '../../contracts/contracts.route.ts'
import { listMailsRoute } from '../../contracts/mails/list-mails.route.ts'
import type { TenantMailKindName } from '../../contracts/mails/tenant-mail-kinds.ts'
import { listMeterReadingsRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import { type Form, FormRejected, formOf, hiddenFields, keyField } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { dataTable, descriptionList, timeline } from '../../pages/lists.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { getQuoteRoute } from '../../quoting/quotes/read-quotes.route.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'
import {
  type OneHousehold,
  type StepOf,
  stepProblems,
  stepsForHousehold,
  stepsForTenant,
  type Tenant,
  type TenantOfHousehold,
  whyClosed,
} from './household-steps.ts'
import { emailWords, householdInWords, nameOf, sellers, tenantInWords } from './households.page.ts'

type Email = Static<(typeof listMailsRoute)['reply']>['emails'][number]
type Contract = Static<(typeof listCustomerContractsRoute)['reply']>['contracts'][number]
interface Life {
  tenant: Tenant
  emails: Email[]
  contracts: Contract[]
}

/** The e-mails that an agent may know of. Others would say what a tenant paid, owes or answered. */
const mailWords: Readonly<Partial<Record<TenantMailKindName, string>>> = {
  link: 'The link to their pages',
  fresh_link: 'A new link, which they asked for',
  nudge: 'A reminder to sign',
  lock_ending: 'A reminder that the prices run out',
  asked_to_lead: 'The question whether they lead the household',
  contract_in_force: 'The confirmation of their contract',
  start_moved: 'That the first day moved',
  details_changed: 'That their details changed',
  email_changed: 'That their e-mail address changed',
  dates_changed: 'That the dates changed',
  moving_in: 'What to do on the day of moving in',
  contract_ending: 'That their contract ends soon',
  price_withdrawn: 'That the price was withdrawn',
}
const contractWords: Readonly<Record<Contract['status'], string>> = {
  agreed: 'Signed, waits for the others',
  in_force: 'In force',
  lapsed: 'Never took effect',
  superseded: 'Never took effect',
  cancelled: 'Cancelled',
  ended: 'Ended',
}
const priceWords: Readonly<Record<string, string>> = {
  quote_expired: 'they had run out',
  packages_changed: 'the services changed',
  tenants_changed: 'the tenants changed',
  broadband_changed: 'broadband changed',
  dates_changed: 'the dates changed',
  meter_changed: 'the meters changed',
}

const day = (date: string) => dayInWords(isoDate(date))
const moment = (instant: string) => momentInWords(new Date(instant))
const outcomeWords = { ...emailWords, obsolete: 'not needed any more' }
const mailInWords = ({ kind, outcome }: Email) =>
  `${mailWords[kind as TenantMailKindName]}: ${outcome === null ? 'on its way' : outcomeWords[outcome]}`

/** The household of a visit, with its tenants. */
async function householdOf({ call, parameters: { id } }: AgencyVisit): Promise<OneHousehold> {
  const quote = await call(getQuoteRoute, { id, query: { include: 'customers' } })
  return { ...quote, customers: quote.customers ?? [] }
}

/** What happened to each tenant, as far as an agent may know. */
async function livesOf({ call }: AgencyVisit, { customers }: OneHousehold): Promise<Life[]> {
  const lives: Life[] = []
  for (const tenant of customers) {
    const id = tenant.customerId
    const [{ emails }, { contracts }] = await Promise.all([
      call(listMailsRoute, { id }),
      call(listCustomerContractsRoute, { id }),
    ])
    lives.push({ tenant, emails: emails.filter(({ kind }) => Object.hasOwn(mailWords, kind)), contracts })
  }
  return lives
}

/** The ways on from a household or a tenant. Of what is not possible it is said why. */
function waysOn<Of>(steps: Readonly<Record<string, StepOf<Of>>>, of: Of, visit: AgencyVisit, path: string): Html {
  const all = Object.entries(steps).filter(([, { scope }]) => visit.scopes.includes(scope))
  const items = all.flatMap(([name, { title, whyNot }]) => {
    const why = whyNot(of, visit)
    if (why === null) return []
    return [
      html`<li>${why === undefined ? html`<a href="${path}/${name}">${title}</a>` : html`${title}: <span class="hint">${why}</span>`}</li>`,
    ]
  })
  return html`<ul>${items}</ul>`
}

/** One household: where it stands, what happened, and what can be done. */
export const householdPage: AgencyPage = {
  name: 'household',
  path: 'households/:id',
  may: 'quotes:read',
  async show(visit) {
    const { path, now } = visit
    const household = await householdOf(visit)
    const [lives, seller] = await Promise.all([livesOf(visit, household), sellers(visit, [household.soldBy])])
    const { quoteId, address, cost, moveIn, customers } = household
    const own = path(`households/${quoteId}`)
    const withMeters = lives.find(({ contracts }) =>
      contracts.some(({ status }) => status === 'in_force' || status === 'ended'),
    )
    const readings =
      withMeters === undefined
        ? []
        : (await visit.call(listMeterReadingsRoute, { id: withMeters.tenant.customerId })).meterReadings
    const contracts = lives.flatMap(({ tenant, contracts: all }) => all.map((contract) => ({ tenant, contract })))
    const facts = [
      ['Dates', `${day(household.contractStartDate)} to ${day(household.contractEndDate)}`],
      ['Keys', moveIn === null ? 'On the first day' : day(moveIn.date)],
      [
        'Services',
        [...household.selectedPackages, ...household.broadbandProducts].map(({ name }) => name).join(', ') ||
          'None yet',
      ],
      ['Price', cost === null ? 'Not yet' : `${formatPounds(pence(cost.monthlyCost))} a month for all`],
      ...(household.branch === null ? [] : [['Branch', household.branch]]),
      ...(household.soldBy === null ? [] : [['Sold by', seller(household.soldBy)]]),
      ...(household.reference === null ? [] : [['Your reference', household.reference]]),
    ]
    const closed = whyClosed(household)
    const selling =
      closed === undefined
        ? html`<a class="button" href="${path(`sell/${quoteId}`)}">Add tenants, or see the price</a>`
        : html`Add tenants: <span class="hint">${closed}</span>`
    const title = `${address.addressLine1}, ${address.city} ${address.postCode}`
    const tenants = lives.map(({ tenant, emails }) => {
      const { customerId, personalDetails } = tenant
      const mail = emails.find(({ outcome }) => outcome !== 'obsolete')
      return html`<h3>${nameOf(tenant)}</h3>
<p>${tenantInWords(tenant, household)}.${mail && html`<br>${mailInWords(mail)}, ${moment(mail.createdAt)}.`}</p>
<p>${personalDetails.email || 'No e-mail address'}${personalDetails.phone && html`<br>${personalDetails.phone}`}</p>
${waysOn(stepsForTenant, { household, tenant }, visit, `${own}/tenants/${customerId}`)}`
    })
    const happened = [
      { at: household.createdAt, what: 'The quote was made.' },
      ...household.priceUpdates.map(({ at, reason }) => ({ at, what: `New prices, because ${priceWords[reason]}.` })),
      ...lives.flatMap(({ tenant, emails }) =>
        emails.map((mail) => ({ at: mail.createdAt, what: `${nameOf(tenant)}: ${mailInWords(mail)}.` })),
      ),
      ...contracts.flatMap(({ tenant, contract: { contractNumber, agreedAt, effectiveAt } }) => [
        { at: agreedAt, what: `${nameOf(tenant)} signed contract ${contractNumber}.` },
        ...(effectiveAt === null ? [] : [{ at: effectiveAt, what: `Contract ${contractNumber} took effect.` }]),
      ]),
      ...readings.map(({ reportedAt, service }) => ({ at: reportedAt, what: `A reading for ${service} was entered.` })),
    ].sort((one, other) => (one.at < other.at ? 1 : -1))
    const body = html`<h1>${title}</h1><p><strong>${householdInWords(household, now)}.</strong></p>
${descriptionList(facts)}
<h2>What you can do</h2>${visit.scopes.includes('quotes:write') && html`<p>${selling}</p>`}${waysOn(stepsForHousehold, household, visit, own)}
<h2>Tenants</h2>${customers.length === 0 ? html`<p>Nobody is added yet.</p>` : tenants}
<h2>Contracts</h2>
${dataTable<(typeof contracts)[number]>(
  {
    caption: 'Contracts of this household',
    empty: 'Nobody has signed yet.',
    columns: [
      { heading: 'Number', cell: ({ contract }) => contract.contractNumber },
      { heading: 'Tenant', cell: ({ tenant }) => nameOf(tenant) },
      { heading: 'State', cell: ({ contract }) => contractWords[contract.status] },
      {
        heading: 'Days',
        cell: ({ contract: { startsOn, endsOn, endedOn } }) => `${day(startsOn)} to ${day(endedOn ?? endsOn)}`,
      },
    ],
  },
  contracts,
)}
<h2>Meter readings</h2>
${dataTable<(typeof readings)[number]>(
  {
    caption: 'Readings of this household',
    empty: 'There are no readings yet.',
    columns: [
      {
        heading: 'Meter',
        cell: ({ service, register }) => `${service}${register === 'single' ? '' : `, ${register}`}`,
      },
      { heading: 'Day', cell: ({ readOn }) => day(readOn) },
      { heading: 'Reading', cell: ({ reading }) => reading, holds: 'figures' },
    ],
  },
  readings,
)}
<h2>What happened</h2>${timeline(happened.slice(0, 100).map(({ at, what }) => ({ at: moment(at), what })))}`
    return { title, body, back: path('households') }
  },
}

/** What a form is made from, by name. It carries this, so that nobody overwrites what they have not seen. */
function factsOf(household: OneHousehold): Record<string, string> {
  const { status, contractStartDate, contractEndDate, cost, branch, soldBy, moveIn, customers } = household
  return {
    State: status,
    Dates: `${day(contractStartDate)} to ${day(contractEndDate)}`,
    Keys: moveIn === null ? '' : day(moveIn.date),
    Price: cost === null ? '' : formatPounds(pence(cost.monthlyCost)),
    Branch: branch ?? '',
    'Sold by': soldBy ?? '',
    ...Object.fromEntries(
      customers.map((tenant, index) => {
        const { email, phone } = tenant.personalDetails
        return [`Tenant ${index + 1}`, [nameOf(tenant), email, phone, tenantInWords(tenant, household)].join(', ')]
      }),
    ),
  }
}

const written = (facts: Record<string, string>) => Buffer.from(JSON.stringify(facts)).toString('base64url')

/** The household as the form knows it, and what has become of that since. */
function seenFields(form: Form, household: OneHousehold): Html {
  const now = factsOf(household)
  const problem = form.problemOf(changedField)
  if (problem === undefined) return html`${hiddenFields([['seen', form.text('seen') || written(now)]])}`
  const before = factsIn(form.text('seen'))
  const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => before[name] !== now[name],
  )
  const rows = changed.map((name) => [
    name,
    html`Before: ${before[name] || 'nothing'}<br>Now: ${now[name] || 'nothing'}`,
  ])
  return html`${hiddenFields([['seen', written(now)]])}
<div class="field wrong" id="${changedField}" tabindex="-1"><p class="problem">${problem}</p>${descriptionList(rows)}</div>`
}

function factsIn(text: string): Record<string, string> {
  try {
    return Object(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return {}
  }
}

const changedField = 'changed'

/** A page for each step. What was changed by somebody else meanwhile is shown before anything is overwritten. */
function stepPage<Of>(
  page: Pick<AgencyPage, 'name' | 'path' | 'may'>,
  steps: Readonly<Record<string, StepOf<Of>>>,
  find: (visit: AgencyVisit) => Promise<{ household: OneHousehold; of: Of; about: string }>,
): AgencyPage {
  const stepOf = ({ parameters: { step = '' } }: AgencyVisit) => {
    const found = Object.hasOwn(steps, step) ? steps[step] : undefined
    if (found === undefined) throw new DomainError('not_found', 'There is no such step.')
    return found
  }
  return {
    ...page,
    problems: stepProblems,
    async show(visit, form) {
      const { title, whyNot, fields, button } = stepOf(visit)
      const { household, of, about } = await find(visit)
      const why = whyNot(of, visit)
      const content = html`${keyField(form)}${seenFields(form, household)}${fields(form, of)}`
      const body = html`<h1>${title}</h1><p>${about}</p>
${why === undefined ? formOf(visit.session.formToken, content, button) : html`<p>${why ?? 'There is no need for this now.'}</p>`}`
      return { title, body, back: visit.path(`households/${household.quoteId}`) }
    },
    async submit(visit, form) {
      const step = stepOf(visit)
      const { household, of } = await find(visit)
      if (form.text('seen') !== written(factsOf(household)))
        throw new FormRejected([
          { field: changedField, text: 'The household changed while you had it open. Look at this, then send again' },
        ])
      return step.act(visit, form, of)
    },
  }
}

const addressOf = ({ address: { addressLine1, postCode } }: OneHousehold) => `${addressLine1}, ${postCode}`

/** What is done for a household. */
export const householdStepPage = stepPage<OneHousehold>(
  { name: 'household-step', path: 'households/:id/:step', may: 'quotes:write' },
  stepsForHousehold,
  async (visit) => {
    const household = await householdOf(visit)
    return { household, of: household, about: addressOf(household) }
  },
)

/** What a tenant is helped with. */
export const tenantStepPage = stepPage<TenantOfHousehold>(
  { name: 'tenant-step', path: 'households/:id/tenants/:tenantId/:step', may: 'customers:write' },
  stepsForTenant,
  async (visit) => {
    const household = await householdOf(visit)
    const tenant = household.customers.find(({ customerId }) => customerId === visit.parameters.tenantId)
    if (tenant === undefined) throw new DomainError('not_found', 'Nobody of this household has this id.')
    return { household, of: { household, tenant }, about: `${nameOf(tenant)}, ${addressOf(household)}` }
  },
)
