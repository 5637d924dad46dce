import { newId } from '../../src/platform/kernel/ids.ts'
import { call, type Partner, partnerWithToken } from '../support/client.ts'
import { attachCard, finalise, type Household, startHousehold } from '../support/household.ts'
import {
  createActiveQuote,
  createCancelledQuote,
  createCompletedQuote,
  createExpiredQuote,
  createLeadOnboardedQuote,
} from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import type { Operation } from './document.ts'
import type { ServiceUnderFuzz } from './service-under-fuzz.ts'
import { webhookPlaceholders } from './webhook-placeholders.ts'

/** Every state of a household, with a function that brings a household into that state. */
const preparations = {
  draft: (partner) => startHousehold(partner, { packages: [], tenants: 0 }),
  'packages selected': (partner) => startHousehold(partner, { tenants: 0 }),
  'packages updated': async (partner) => {
    const household = await startHousehold(partner)
    const packageIds = ['electricity-standard']
    succeeded(await partner.post(`/Quotes/${household.quoteId}/update-packages`, { packageIds }))
    return household
  },
  'tenants added': (partner) => startHousehold(partner),
  'broadband added': (partner) => startHousehold(partner, { products: ['fibre-67', 'static-ip'] }),
  'personal information given': async (partner) => {
    const household = await startHousehold(partner)
    for (const tenantId of household.tenants) succeeded(await finalise(partner, tenantId))
    return household
  },
  expired: (partner) => createExpiredQuote(partner),
  active: (partner) => createActiveQuote(partner),
  'card attached': async (partner) => {
    const household = await startHousehold(partner)
    succeeded(await finalise(partner, household.lead))
    await attachCard(partner, household.lead)
    return household
  },
  'waiting for the bank': async (partner) => {
    const household = await startHousehold(partner)
    succeeded(await finalise(partner, household.lead))
    await attachCard(partner, household.lead, 'pm_card_authenticationRequired')
    return household
  },
  'partly onboarded': (partner) => createLeadOnboardedQuote(partner, { tenants: 2 }),
  completed: (partner) => createCompletedQuote(partner),
  cancelled: (partner) => createCancelledQuote(partner),
  reopened: async (partner) => {
    const household = await createActiveQuote(partner)
    succeeded(await partner.post(`/Quotes/${household.quoteId}/reopen`))
    return household
  },
} as const satisfies Record<string, (partner: Partner) => Promise<Household>>

export type State = keyof typeof preparations
export const states = Object.keys(preparations) as State[]

/** The states in which a tenant has signed. */
const statesWithContract: readonly State[] = ['partly onboarded', 'completed']

/** The states that an operation meets. The operator's software sees a household only once it has contracts. */
export function statesMetBy({ api }: Pick<Operation, 'api'>): readonly State[] {
  return api === 'operator' ? statesWithContract : states
}

/** The household that a request is about. */
interface Target {
  state: State
  /** True until a request changes the household. */
  isAsPrepared: boolean
  /** The values that replace the placeholders in a request; see `fillIn`. */
  values: Readonly<Record<string, string>>
}

/** How many changed households are kept in their new state. */
const keptStrays = 40

/**
 * A partner's households. There is one in each state; as soon as a request changes it, a new one takes its place. Some
 * of the changed households are kept as well.
 */
export interface HouseholdPool {
  /**
   * Returns a household in this state. With `stray`, returns one that requests have changed, if any; the number
   * determines which.
   */
  find(state: State, stray: number | undefined): Promise<Target>
}

/**
 * The maximum number of attempts to prepare a household. An attempt can fail because the partner's clock moves in the
 * meantime.
 */
const maxAttempts = 5

export async function prepareHouseholds(
  service: ServiceUnderFuzz,
  { token, clockMoves }: { token: string; clockMoves: boolean },
): Promise<HouseholdPool> {
  const partner = partnerWithToken(service.baseUrl, token)
  const constant = await valuesOfPartner(service, partner)
  const ofWebhook = webhookPlaceholders(partner, `${service.receiverUrl}/hook`)
  const current = new Map<State, Promise<Target>>()
  const strays: Target[] = []

  async function prepare(state: State, attempt = 1): Promise<Target> {
    try {
      const household = await preparations[state](partner)
      const ofContract = statesWithContract.includes(state) ? await valuesOfContract(service, partner, household) : {}
      const ofHousehold = { ...(await valuesOf(partner, household, state)), ...ofContract }
      const values = { ...constant, ...(await ofWebhook()), ...ofHousehold }
      return { state, isAsPrepared: true, values }
    } catch (error) {
      if (clockMoves && attempt < maxAttempts) return prepare(state, attempt + 1)
      throw new Error(`preparing a household failed: ${state}`, { cause: error })
    }
  }

  return {
    async find(state, stray) {
      const led = stray === undefined ? undefined : strays[stray % Math.max(1, strays.length)]
      if (led !== undefined) return led
      const known = current.get(state)
      const found = await known
      if (found?.isAsPrepared === true) return found
      let next = current.get(state)
      // Another request may have prepared a household in the meantime.
      if (next === undefined || next === known) {
        if (found !== undefined) strays.unshift(found)
        strays.length = Math.min(strays.length, keptStrays)
        next = prepare(state)
        current.set(state, next)
      }
      return next
    },
  }
}

async function valuesOfPartner(service: ServiceUnderFuzz, partner: Partner): Promise<Record<string, string>> {
  const { versions } = succeeded(await partner.get('/Quotes/quoting-tool-versions'))
  const { addressUid } = ordinaryProperty()
  const { uid } = succeeded(await partner.post('/Quotes/broadband-availability-requests', { addressUid }))
  const { importId } = succeeded(await partner.post('/Imports', { kind: 'start', draft: 'Mill Road' }))
  const { clientId, clientSecret } = service.credentials
  return {
    importId,
    token: partner.token,
    versionId: versions[0]?.id ?? '',
    availabilityUid: uid,
    ...service.operator,
    clientId,
    clientSecret,
    basic: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
    audience: `${service.baseUrl}/partner-api`,
    receiver: service.receiverUrl,
    receiverPort: new URL(service.receiverUrl).port,
  }
}

async function valuesOf(partner: Partner, household: Household, state: State): Promise<Record<string, string>> {
  const { quoteId, addressUid, tenants, lead } = household
  const [, otherCustomerId] = tenants
  // Of a list that always has one.
  const cursor = succeeded(await partner.get('/Events?order=oldest&limit=1')).nextCursor ?? ''
  const values: Record<string, string> = { quoteId, addressUid, cursor }
  if (lead !== '') values.customerId = lead
  if (otherCustomerId !== undefined) values.otherCustomerId = otherCustomerId
  if (['active', 'card attached', 'waiting for the bank', 'partly onboarded'].includes(state)) {
    // Repeating the call returns the same intent.
    values.setupIntentId = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`)).setupIntentId
  }
  return values
}

/**
 * The ids by which the operator's software knows a household that has contracts: of one of them, and of its first
 * service and payment.
 */
async function valuesOfContract(
  { baseUrl, operator }: ServiceUnderFuzz,
  partner: Partner,
  { lead }: Household,
): Promise<Record<string, string>> {
  const { contracts } = succeeded(await partner.get(`/Customers/${lead}/contracts`))
  const { services } = succeeded(await partner.get(`/Customers/${lead}`))
  const headers = { Authorization: `Bearer ${operator.operatorToken}` }
  const { text } = await call(baseUrl, 'GET', `/operator-api/Payments?customerId=${lead}`, undefined, { headers })
  const payments = JSON.parse(text) as { data: { entryId: string }[] }
  const found = {
    contractNumber: contracts[0]?.contractNumber,
    serviceId: services[0]?.serviceId,
    entryId: payments.data[0]?.entryId,
  }
  return Object.fromEntries(Object.entries(found).filter((each): each is [string, string] => each[1] !== undefined))
}

/** Well-formed ids that were never issued. */
export function unknownIds(): Record<string, string> {
  const tenantId = newId('tenant')
  return {
    quoteId: newId('quote'),
    customerId: tenantId,
    otherCustomerId: newId('tenant'),
    setupIntentId: 'seti_1ABCDEFGHJKLMNPQRSTUVWXY',
    contractNumber: 'HB-99999-99999',
    entryId: newId('entry'),
    reportId: 'none',
    serviceId: 'electricity',
    managedPartnerId: newId('partner'),
    managedClientId: 'sb_nobody',
    cardId: 'no-such-card',
    personId: newId('person'),
    webhookId: newId('webhook'),
    deliveryId: newId('delivery'),
    replayId: newId('replay'),
    eventId: newId('event'),
    importId: newId('import'),
    lineId: newId('line'),
    queryId: newId('query'),
    addressUid: newId('address'),
    availabilityUid: newId('availability'),
    versionId: 'rates-1999-01',
    cursor: Buffer.from(newId('quote')).toString('base64url'),
  }
}
