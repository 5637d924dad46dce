import assert from 'node:assert/strict'
import type { ApiResponse, Partner } from './client.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { ordinaryProperty } from './sample-properties.ts'

/** A quote with the people who share it; the first one leads. */
export interface Household {
  quoteId: string
  addressUid: string
  lead: string
  /** Every tenant's id, the lead tenant's first. */
  tenants: readonly string[]
}

/** What POST /Quotes takes beside the home. */
export interface QuoteOptions {
  /** Package types to select; none are selected for an empty list. */
  packages?: readonly string[]
  quotingToolVersionId?: string
  contractStartDate?: string
  contractEndDate?: string
  bedrooms?: number
  reference?: string
}

export interface HouseholdOptions extends QuoteOptions {
  /** An ordinary home unless named, here or by one of the sandbox's postcodes. */
  addressUid?: string
  /** `home` picks the property there whose addressLine1 holds it, else it is the first. */
  postcode?: string
  home?: string
  /** How many, or the very people; 2 unless told. */
  tenants?: number | readonly TenantInput[]
  /** Broadband products to add after their availability was checked. */
  products?: readonly string[]
}

export interface TenantInput {
  name: string
  email: string
}

/**
 * Brings a household to the point where its customers' own steps begin: quote, packages (electricity and gas unless told),
 * tenants, broadband.
 */
export async function startHousehold(partner: Partner, wish: HouseholdOptions = {}): Promise<Household> {
  const { postcode, home, packages = ['electricity', 'gas'], products = [], tenants = 2, ...quote } = wish
  const {
    addressUid = postcode === undefined ? ordinaryProperty().addressUid : await findProperty(partner, postcode, home),
  } = wish
  const { quoteId } = succeeded(
    await partner.post('/Quotes', { ...quote, addressUid, ...(packages.length > 0 ? { packages } : {}) }),
  )
  const people = typeof tenants === 'number' ? sampleTenants(tenants) : tenants
  const ids = people.length === 0 ? [] : await addTenants(partner, quoteId, people)
  if (products.length > 0) await addBroadband(partner, quoteId, products)
  const [lead = ''] = ids
  return { quoteId, addressUid, lead, tenants: ids }
}

/** The addressUid of a sandbox property. */
export async function findProperty(partner: Partner, postcode: string, says = ''): Promise<string> {
  const homes = succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`))
  const home = homes.find(({ addressLine1 }) => addressLine1.includes(says))
  if (home === undefined) throw new Error(`no home at ${postcode} says "${says}"`)
  return home.addressUid
}

/** Made-up people with addresses that lead nowhere, counted from `from`. */
export function sampleTenants(count: number, from = 1): TenantInput[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Robin Example${from + index}`,
    email: `robin${from + index}@example.com`,
  }))
}

/** Adds people and returns the ids of those added, in their order. */
export async function addTenants(partner: Partner, quoteId: string, people: readonly TenantInput[]): Promise<string[]> {
  const response = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: people }))
  return people.map(({ email }) => {
    const added = response.tenants.find((tenant) => tenant.email === email)
    assert.ok(added, `${email} is not among the tenants`)
    return added.tenantId
  })
}

/** Runs the availability check of the quote's home and adds products. */
export async function addBroadband(
  partner: Partner,
  quoteId: string,
  broadbandProducts: readonly string[] = ['fibre-150'],
): Promise<Reply<'POST', '/Quotes/{id}/add-broadband-products'>> {
  const { address } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${address.addressUid}`))
  return succeeded(await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts }))
}

/** A submission that passes; single fields can be others, and `undefined` leaves one out. */
export function personalInformation(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    firstName: 'Alex',
    lastName: 'Morgan',
    email: 'alex.morgan@example.com',
    phone: '07700 900123',
    dateOfBirth: '1999-05-17',
    ...changes,
  }
}

/** Everything the Priority Services Register asks for; single fields can be others. */
export function psrDetails(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    hasPsr: true,
    categories: [{ code: '08' }],
    consentToShare: true,
    authorisedContact: psrContact(),
    ...changes,
  }
}

export function psrContact(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    firstName: 'Sam',
    lastName: 'Carer',
    relationship: 'sister',
    phone: '+44 7700 900456',
    consentGiven: true,
    ...changes,
  }
}

/** Submits a tenant's details; each tenant keeps an e-mail of their own unless told. */
export function finalise(
  partner: Partner,
  customerId: string,
  changes: Record<string, unknown> = {},
): Promise<ApiResponse<Reply<'POST', '/Customers/{id}/finalise-personal-information'>>> {
  return partner.post(
    `/Customers/${customerId}/finalise-personal-information`,
    personalInformation({ email: `${customerId}@example.com`, ...changes }),
  )
}

/** A tenant's details and a setup intent, whose id is answered: from here on the quote is active and locked. */
export async function startPayment(partner: Partner, customerId: string): Promise<string> {
  succeeded(await finalise(partner, customerId))
  return succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId
}

/** A setup intent, made where there is none, whose card was tried; returns the intent's id. */
export async function attachCard(
  partner: Partner,
  customerId: string,
  paymentMethod = 'pm_card_visa',
): Promise<string> {
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`))
  succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod }))
  return setupIntentId
}

/** Takes a tenant from being added to having accepted the terms. */
export async function onboard(
  partner: Partner,
  customerId: string,
  changes: Record<string, unknown> = {},
): Promise<Reply<'POST', '/Customers/{id}/accept-terms'>> {
  succeeded(await finalise(partner, customerId, changes))
  await attachCard(partner, customerId)
  return succeeded(await partner.post(`/Customers/${customerId}/accept-terms`))
}

/** The status of a quote as it is read. */
export async function quoteStatus(partner: Partner, quoteId: string): Promise<string> {
  return succeeded(await partner.get(`/Quotes/${quoteId}`)).status
}

export async function paymentStatus(partner: Partner, customerId: string): Promise<string> {
  return succeeded(await partner.get(`/Customers/${customerId}`)).paymentStatus
}
