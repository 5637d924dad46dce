import type { NewTenant, PersonalInformationRequest } from '../../clients/typescript/src/api-types.ts'
import { HousebillClient } from '../../clients/typescript/src/entry.ts'
import { attachCard } from '../../clients/typescript/src/sandbox-household.ts'
import { scopes } from '../../src/partners/scopes.ts'
import { addDays, type IsoDate, londonDate } from '../../src/platform/kernel/dates.ts'

/** Where the households are made. */
interface Deployment {
  /** A sandbox, without a path. */
  baseUrl: string
  /** Credentials of the operator with `partners:write`. */
  operator: { clientId: string; clientSecret: string }
}

/** A partner with credentials that have every scope. */
export interface DemoPartner {
  name: string
  partnerId: string
  clientId: string
  clientSecret: string
}

/** A household, and the name of the row of `states` that says what became of it. */
export interface DemoHousehold {
  state: string
  partnerId: string
  quoteId: string
  customerIds: readonly string[]
}

interface Branch {
  name: string
  postcodes: readonly string[]
  negotiators: readonly string[]
}

/** The agencies. A postcode has fifteen sample properties. */
const agencies: readonly { name: string; branches: readonly Branch[] }[] = [
  {
    name: 'Northgate Lettings',
    branches: [
      { name: 'Leeds', postcodes: ['LS2 9JT', 'BD7 1DP', 'HD1 3DH'], negotiators: ['Kim Reed', 'Tom Ashworth'] },
      { name: 'Sheffield', postcodes: ['S10 2TN', 'HU6 7RX'], negotiators: ['Nadia Rahman', 'Joe Firth'] },
      { name: 'Manchester', postcodes: ['M13 9PL', 'M5 4WT'], negotiators: ['Beth Holroyd', 'Callum Shaw'] },
    ],
  },
  {
    name: 'Campus Homes',
    branches: [
      { name: 'London', postcodes: ['E1 4NS', 'SW7 2AZ', 'WC1E 6BT'], negotiators: ['Ade Balogun', 'Lucy Penn'] },
      { name: 'Bristol', postcodes: ['BS8 1TH', 'BA2 7AY'], negotiators: ['Rhys Powell', 'Hannah Vale'] },
      { name: 'Glasgow', postcodes: ['G12 8QQ', 'EH8 9YL'], negotiators: ['Fiona Muir', 'Ewan Baird'] },
    ],
  },
]

/** Addresses here are rejected by the mail server of the demo. */
export const rejectedDomain = 'full-mailbox.example.com'

/** How long ago, by the clocks of the partners, the early households were made. */
const daysBetween = 45

/** A household that is being made. */
interface Making extends DemoHousehold {
  client: HousebillClient
  tenants: readonly NewTenant[]
  /** The present day of the partner's clock. */
  today: IsoDate
  startsOn: IsoDate
}

/** How a household comes into a state. */
interface State {
  name: string
  /** How many of 200 households. */
  of200: number
  /** Early ones were made before the clocks moved, and have begun since. */
  isEarly?: true
  /** How many days after it was made the household's contracts end. By default they have twelve months. */
  days?: number
  /** How the addresses of the first tenant end. */
  firstDomain?: string
  /** Nobody is named yet: there is only a quote. */
  isBare?: true
  /** What happens after the tenants were invited. */
  make?: (household: Making) => Promise<unknown>
  /** What happens to an early household after the clocks moved. */
  later?: (household: Making) => Promise<unknown>
}

const electricity = 'electricity-standard'
const first = ({ customerIds: [id = ''] }: Making) => id

/** Every state, in the order in which households are dealt to them. */
export const states: readonly State[] = [
  { name: 'active', of200: 42, isEarly: true, make: signAll, later: (household) => collect(household, 'paid') },
  { name: 'invited', of200: 16 },
  {
    name: 'tenancy end reported',
    of200: 8,
    isEarly: true,
    make: signAll,
    later: ({ client, quoteId, today }) =>
      client.endHousehold(quoteId, {
        ...{ lastDay: addDays(today, 60), reason: 'tenancy_ended', evidence: 'tenants_notice' },
      }),
  },
  { name: 'card declined', of200: 8, make: (household) => giveCard(household, 0, 'pm_card_chargeDeclined') },
  { name: 'expired', of200: 12, isEarly: true, make: (household) => giveDetails(household, 0) },
  { name: 'open', of200: 8, isBare: true },
  { name: 'reopened', of200: 4, make: reopen },
  {
    name: 'partly through',
    of200: 16,
    async make(household) {
      if (household.tenants.length === 1) return giveCard(household, 0)
      await sign(household, 0)
      await giveDetails(household, 1)
    },
  },
  { name: 'signed', of200: 20, make: signAll },
  { name: 'quote cancelled', of200: 6, isEarly: true, make: ({ client, quoteId }) => client.cancelQuote(quoteId) },
  { name: 'ended', of200: 8, isEarly: true, days: 40, make: signAll },
  {
    name: 'ending early',
    of200: 6,
    isEarly: true,
    make: signAll,
    later: (household) => household.client.endContract(first(household), { endDate: addDays(household.today, 45) }),
  },
  {
    name: 'contract cancelled',
    of200: 5,
    async make(household) {
      await signAll(household)
      await household.client.cancelContract(first(household))
    },
  },
  { name: 'e-mail rejected', of200: 6, firstDomain: rejectedDomain },
  {
    name: 'death held',
    of200: 2,
    isEarly: true,
    make: signAll,
    later: (household) =>
      household.client.reportDeath(first(household), { relationship: 'Their sister, who called the branch' }),
  },
  {
    name: 'start moved',
    of200: 6,
    async make(household) {
      await signAll(household)
      const { client, quoteId, startsOn } = household
      await client.moveStart(quoteId, { contractStartDate: addDays(startsOn, 14) })
    },
  },
  { name: 'waiting for supply', of200: 8, make: (household) => reportSupply(household, { status: 'requested' }) },
  {
    name: 'supply rejected',
    of200: 4,
    make: (household) => reportSupply(household, { status: 'failed', reason: 'rejected' }),
  },
  {
    name: 'payment failed',
    of200: 5,
    isEarly: true,
    make: (household) => signAll(household, 'pm_card_chargeCustomerFail'),
    later: (household) => collect(household, 'failed'),
  },
  {
    name: 'housemate replaced',
    of200: 5,
    isEarly: true,
    make: signAll,
    async later(household) {
      const { client, today, quoteId } = household
      const email = `joiner.${quoteId.slice(-8).toLowerCase()}@example.com`
      await client.createReplacement(first(household), { name: 'Robin Fields', email, from: addDays(today, 20) })
    },
  },
  {
    name: 'card waits for the bank',
    of200: 5,
    make: (household) => giveCard(household, 0, 'pm_card_authenticationRequired'),
  },
]

/** The states of so many households: each once, as far as they go, and then as often as their number says. */
export function dealStates(count: number): State[] {
  const most = Math.max(...states.map(({ of200 }) => of200))
  const rounds = Array.from({ length: most }, (_, round) => states.filter(({ of200 }) => of200 > round))
  return rounds.flat().slice(0, count)
}

/**
 * Makes two partners with people, and so many of their households, up to 200, through the APIs. Names, properties and
 * states are the same each time; days count from today. Moves the clocks of both partners by `daysBetween`. Throws what
 * the client throws.
 */
export async function makeDemo(
  { baseUrl, operator }: Deployment,
  count: number,
  say: (what: string) => void,
): Promise<{ partners: DemoPartner[]; households: DemoHousehold[] }> {
  const call = await connectOperator(baseUrl, operator)
  const made = await Promise.all(agencies.map((agency) => makePartner(baseUrl, call, agency)))
  const dealt = dealStates(count).map((state, number) => {
    const { client, homes, partner } =
      made[(number + Math.floor(number / states.length)) % made.length] ?? none('partner')
    return { state, number, client, partnerId: partner.partnerId, home: homes.shift() ?? none('property') }
  })
  const households: Making[] = []
  for (const isEarly of [true, false]) {
    const now = await Promise.all(made.map(async ({ client }) => new Date((await client.sandboxReadClock()).now)))
    const [today = new Date()] = now
    const some = dealt.filter(({ state }) => (state.isEarly ?? false) === isEarly)
    await inParallel(some, async (each) => {
      const household = await makeHousehold(each, today)
      households.push(household)
      await each.state.make?.(household)
    })
    say(`${some.length} households${isEarly ? ` of ${daysBetween} days ago` : ''}`)
    if (!isEarly) break
    await Promise.all(made.map(({ client }) => client.sandboxAdvanceClock({ seconds: daysBetween * 86_400 })))
    await inParallel(households, async (household) => {
      household.today = addDays(household.today, daysBetween)
      await states.find(({ name }) => name === household.state)?.later?.(household)
    })
    say('what happened to them since')
  }
  return { partners: made.map(({ partner }) => partner), households }
}

type OperatorCall = <Reply>(path: string, body: object) => Promise<Reply>

async function connectOperator(baseUrl: string, credentials: Deployment['operator']): Promise<OperatorCall> {
  const send = async <Reply>(path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(`${baseUrl}/operator-api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  const { access_token: token } = await send<{ access_token: string }>('/Auth/token', credentials)
  return (path, body) => send(path, body, { authorization: `Bearer ${token}` })
}

interface Home {
  addressUid: string
  branch: string
  soldBy: string
}

async function makePartner(baseUrl: string, call: OperatorCall, { name, branches }: (typeof agencies)[number]) {
  const { partnerId } = await call<{ partnerId: string }>('/Partners', { name })
  const credentials = { name: 'Demo', scopes }
  const issued = await call<Omit<DemoPartner, 'name'>>(`/Partners/${partnerId}/credentials`, credentials)
  const { clientId, clientSecret } = issued
  const client = new HousebillClient({ baseUrl, clientId, clientSecret })
  const invite = async (person: string, role: string, of: readonly string[] = []) => {
    const email = `${slug(person)}@${slug(name)}.example.com`
    return (
      await call<{ personId: string }>('/People', { partnerId, name: person, email, roles: [role], branches: of })
    ).personId
  }
  await invite('Morgan Hill', 'admin')
  await invite('Alex Stone', 'reader')
  await invite('Dana Webb', 'developer')
  const ofBranches = await Promise.all(
    branches.map(async ({ name: branch, postcodes, negotiators }) => {
      const people = await Promise.all(negotiators.map((person) => invite(person, 'agent', [branch])))
      const found = await Promise.all(postcodes.map((postcode) => client.lookupAddresses({ postcode })))
      return found
        .flat()
        .map(({ addressUid }, index): Home => ({ addressUid, branch, soldBy: people[index % people.length] ?? '' }))
    }),
  )
  // In turn, so that a few households have several branches.
  const longest = Math.max(...ofBranches.map(({ length }) => length))
  const homes = Array.from({ length: longest }, (_, index) => ofBranches.flatMap((own) => own[index] ?? [])).flat()
  return { client, homes, partner: { name, partnerId, clientId, clientSecret } }
}

interface Dealt {
  state: State
  number: number
  client: HousebillClient
  partnerId: string
  home: Home
}

/** Quotes a household and invites its tenants. */
async function makeHousehold({ state, number, client, partnerId, home }: Dealt, now: Date): Promise<Making> {
  const today = londonDate(now)
  const tenants = inventPeople(number, state.firstDomain).map((tenant) => ({
    ...tenant,
    contactPermission: { givenAt: new Date(now.getTime() - 86_400_000).toISOString(), by: 'tenancy application' },
  }))
  const startsOn = addDays(today, state.isEarly ? 1 + (number % 3) : 24 + (number % 20))
  const hasBroadband = number % 4 === 1
  if (hasBroadband) await client.runBroadbandAvailabilityCheck(home.addressUid)
  const quote = {
    ...home,
    packages: ['electricity', 'gas'] as const,
    contractStartDate: startsOn,
    ...(state.days === undefined ? {} : { contractEndDate: addDays(today, state.days) }),
    bedrooms: tenants.length,
    reference: `LET-${4_001 + number}`,
  }
  const making = { state: state.name, partnerId, client, today, startsOn }
  if (state.isBare) {
    const { quoteId } = await client.createQuote(quote)
    return { ...making, quoteId, customerIds: [], tenants: [] }
  }
  const { quoteId, tenants: invited } = await client.createHousehold({
    ...quote,
    ...(hasBroadband ? { broadbandProducts: ['fibre-67'] } : {}),
    ...{ tenants, sendEmails: true, householdComplete: true },
  })
  const customerIds = invited.map(({ customerId }) => customerId)
  return { ...making, quoteId, customerIds, tenants }
}

const firstNames =
  'Amara Ben Chloe Dev Eilidh Farid Grace Hugo Isla Jun Katya Liam Maya Noah Olu Priya Quinn Rosa Sam Tariq Uma Viktor Wen Ximena Yusuf Zoe Aoife Bruno Ceri'.split(
    ' ',
  )
const lastNames =
  'Okafor Carter Davies Patel Fraser Hussain Whitmore Lindqvist Murray Tanaka Novak O’Brien Singh Adeyemi Clarke Kaur Evans Romano Hughes Malik Sharma Petrov Zhang Ruiz Demir Walsh Byrne Costa Jones Ahmed Taylor'.split(
    ' ',
  )

/** One to five people, with a name and an address that no other household has. */
function inventPeople(number: number, firstDomain = 'example.com'): { name: string; email: string }[] {
  const size = [3, 2, 4, 1, 5][number % 5] ?? 1
  return Array.from({ length: size }, (_, index) => {
    // The numbers of names have no common divisor.
    const person = number * 5 + index
    const name = `${firstNames[person % firstNames.length]} ${lastNames[person % lastNames.length]}`
    return { name, email: `${slug(name)}.${person}@${index === 0 ? firstDomain : 'example.com'}` }
  })
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '.')
}

/** The details of a tenant. One in nine has needs that the network must know. */
function detailsOf({ tenants }: Making, index: number): PersonalInformationRequest {
  const { name = '', email = '' } = tenants[index] ?? {}
  const [firstName = '', ...others] = name.split(' ')
  const person = Number(/\.(\d+)@/.exec(email)?.[1] ?? 0)
  const contact = { firstName: 'Pat', lastName: others.join(' '), relationship: 'parent', phone: '07700 900999' }
  const authorisedContact = { ...contact, consentGiven: true } as const
  const psr = { hasPsr: true, categories: [{ code: '08' }], consentToShare: true, authorisedContact }
  return {
    ...{ firstName, lastName: others.join(' '), email, supplyDuringCancellation: true },
    phone: `07700 900${String(person % 1_000).padStart(3, '0')}`,
    dateOfBirth: `${1_975 + (person % 30)}-0${1 + (person % 9)}-1${person % 10}`,
    ...(person % 9 === 4 ? { psrDetails: psr } : {}),
  }
}

async function giveDetails(household: Making, index: number): Promise<void> {
  const { client, customerIds } = household
  await client.finalisePersonalInformation(customerIds[index] ?? '', detailsOf(household, index))
}

async function giveCard(household: Making, index: number, paymentMethod = 'pm_card_visa'): Promise<void> {
  await giveDetails(household, index)
  await attachCard(household.client, household.customerIds[index] ?? '', paymentMethod)
}

async function sign(household: Making, index: number, paymentMethod?: string): Promise<void> {
  await giveCard(household, index, paymentMethod)
  await household.client.acceptTerms(household.customerIds[index] ?? '')
}

/** Everybody signs. `paymentMethod` is the first tenant's. */
async function signAll(household: Making, paymentMethod?: string): Promise<void> {
  for (const index of household.customerIds.keys())
    await sign(household, index, index === 0 ? paymentMethod : undefined)
}

async function collect({ client, customerIds }: Making, outcomeOfFirst: 'paid' | 'failed'): Promise<void> {
  for (const [index, id] of customerIds.entries())
    await client.sandboxCollectPayment(id, { outcome: index === 0 ? outcomeOfFirst : 'paid' })
}

async function reopen(household: Making): Promise<void> {
  await giveCard(household, 0)
  await household.client.reopenQuote(household.quoteId)
}

async function reportSupply(
  household: Making,
  report: { status: 'requested' | 'failed'; reason?: 'rejected' },
): Promise<void> {
  await signAll(household)
  await household.client.sandboxSetServiceStatus(household.quoteId, { serviceId: electricity, ...report })
}

const parallelHouseholds = 6

/** Works on a few at a time. Once one fails, begins no more, waits for those that have begun, and throws. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const lanes = Array.from({ length: parallelHouseholds }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await work(item).catch((error: unknown) => {
        left.length = 0
        throw error
      })
  })
  const results = await Promise.allSettled(lanes)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

function none(what: string): never {
  throw new Error(`there is no ${what} left: make fewer households`)
}
