import { succeeded } from './answers.ts'
import type { Partner } from './client.ts'
import { ordinaryHome } from './homes.ts'
import type { Reply } from './replies.ts'

/** When tests about quotes take place: a Tuesday on which electricity bears no VAT, three weeks before any bank holiday. */
export const testTime = '2026-12-01T09:00:00Z'

/** What POST /Quotes takes; the home is an ordinary one unless named. */
export interface QuoteWish {
  addressUid?: string
  quotingToolVersionId?: string
  packages?: readonly string[]
  contractStartDate?: string
  contractEndDate?: string
  bedrooms?: number
  reference?: string
}

export interface TenantWish {
  name: string
  email: string
}

/** POST /Quotes, for an ordinary home unless told; answers the body. */
export async function createQuote(partner: Partner, wish: QuoteWish = {}): Promise<Reply<'POST', '/Quotes'>> {
  return succeeded(await partner.post('/Quotes', { addressUid: ordinaryHome().addressUid, ...wish }))
}

export async function getQuote(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}`))
}

export async function totalCost(partner: Partner, quoteId: string): Promise<Reply<'GET', '/Quotes/{id}/total-cost'>> {
  return succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
}

/** So many people with names and e-mail addresses of their own, counted from `from`. */
export function people(count: number, from = 1): TenantWish[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Tenant Number${from + index}`,
    email: `tenant${from + index}@example.com`,
  }))
}

/** Adds tenants and answers the ids of all tenants in joining order; the first one leads. */
export async function addTenants(
  partner: Partner,
  quoteId: string,
  tenants: number | readonly TenantWish[],
): Promise<string[]> {
  const added = typeof tenants === 'number' ? people(tenants) : tenants
  const { tenants: all } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: added }))
  return all.map(({ tenantId }) => tenantId)
}

export interface HouseholdWish extends QuoteWish {
  /** How many, or who; 3 unless told. */
  tenants?: number | readonly TenantWish[]
  /** Ids from the availability check, which is run on the way; none unless told. */
  products?: readonly string[]
}

/** A quote as it is before anyone gives personal information. */
export interface Household {
  quoteId: string
  addressUid: string
  /** In joining order. */
  tenantIds: string[]
  leadId: string
}

/** An open quote with packages (electricity and gas unless told), tenants and, where wished for, broadband products. */
export async function quoteWithTenants(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const { tenants = 3, products = [], packages = ['electricity', 'gas'], ...rest } = wish
  const { quoteId, address } = await createQuote(partner, { packages, ...rest })
  const tenantIds = await addTenants(partner, quoteId, tenants)
  if (products.length > 0) await addBroadband(partner, quoteId, products)
  const [leadId = ''] = tenantIds
  return { quoteId, addressUid: address.addressUid, tenantIds, leadId }
}

/** Runs the availability check of the quote's address and adds products. */
export async function addBroadband(
  partner: Partner,
  quoteId: string,
  products: readonly string[] = ['fibre-150'],
): Promise<Reply<'POST', '/Quotes/{id}/add-broadband-products'>> {
  const { address } = await getQuote(partner, quoteId)
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${address.addressUid}`))
  return succeeded(await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts: products }))
}

/** A complete submission of personal information without register needs, of an adult. */
export function personalInformation(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    phone: '07700 900123',
    dateOfBirth: '1990-12-10',
    ...overrides,
  }
}

/** Submits personal information under the e-mail address the tenant was added with, or as told. */
export async function finalise(
  partner: Partner,
  customerId: string,
  overrides: Record<string, unknown> = {},
): Promise<void> {
  const { personalDetails } = succeeded(await partner.get(`/Customers/${customerId}`))
  const body = personalInformation({ email: personalDetails.email, ...overrides })
  succeeded(await partner.post(`/Customers/${customerId}/finalise-personal-information`, body))
}

/** Personal information and a setup intent, whose id is answered: from here on the quote is active and locked. */
export async function startPayment(partner: Partner, customerId: string): Promise<string> {
  await finalise(partner, customerId)
  return succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId
}

/** Everything from personal information to accepted terms, with a card that succeeds. */
export async function onboard(partner: Partner, customerId: string): Promise<void> {
  const setupIntentId = await startPayment(partner, customerId)
  const card = { paymentMethod: 'pm_card_visa' }
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, card))
  succeeded(await partner.post(`/Customers/${customerId}/accept-terms`))
}

/** An open quote whose prices have lapsed. */
export async function expiredQuote(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const household = await quoteWithTenants(partner, wish)
  await expire(partner, household.quoteId)
  return household
}

/** A quote whose lead tenant has begun to set up payment: it is locked. */
export async function activeQuote(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const household = await quoteWithTenants(partner, wish)
  await startPayment(partner, household.leadId)
  return household
}

/** A quote whose lead tenant has accepted the terms and whose other tenants, if any, have not. */
export async function leadOnboardedQuote(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const household = await quoteWithTenants(partner, wish)
  await onboard(partner, household.leadId)
  return household
}

/** A quote all of whose tenants (one unless told) have accepted the terms. */
export async function completedQuote(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const household = await quoteWithTenants(partner, { tenants: 1, ...wish })
  for (const tenantId of household.tenantIds) await onboard(partner, tenantId)
  return household
}

export async function cancelledQuote(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const household = await quoteWithTenants(partner, wish)
  succeeded(await partner.post(`/Quotes/${household.quoteId}/cancel`))
  return household
}

/** Lets an open quote's prices lapse now. */
export async function expire(partner: Partner, quoteId: string): Promise<void> {
  succeeded(await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
}

/** Moves the partner's sandbox clock forward. */
export async function advanceClock(partner: Partner, time: { days?: number; seconds?: number }): Promise<void> {
  const seconds = (time.days ?? 0) * 86_400 + (time.seconds ?? 0)
  succeeded(await partner.post('/Sandbox/clock/advance', { seconds }))
}
