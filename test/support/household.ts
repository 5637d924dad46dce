import assert from 'node:assert/strict'
import { succeeded } from './answers.ts'
import type { Answer, Partner } from './client.ts'
import type { Reply } from './replies.ts'

/** A quote with the people who share it; the first one leads. */
export interface Household {
  quoteId: string
  addressUid: string
  lead: string
  /** Every tenant's id, the lead tenant's first. */
  tenants: readonly string[]
}

export interface HouseholdWish {
  /** One of the sandbox's postcodes; `home` picks the property whose addressLine1 holds it, else the first. */
  postcode?: string
  home?: string
  /** How many, or the very people; 2 unless told. */
  tenants?: number | readonly { name: string; email: string }[]
  /** Package types to select; none are selected for an empty list. Electricity and gas unless told. */
  packages?: readonly string[]
  /** Broadband products to add after their availability was checked. */
  products?: readonly string[]
  /** Further fields of POST /Quotes. */
  quote?: Record<string, unknown>
}

/** Brings a household to the point where its customers' own steps begin: address, quote, packages, tenants, broadband. */
export async function startHousehold(partner: Partner, wish: HouseholdWish = {}): Promise<Household> {
  const { packages = ['electricity', 'gas'], products = [], tenants = 2 } = wish
  const addressUid = await findHome(partner, wish.postcode ?? 'NR4 7TJ', wish.home)
  const { quoteId } = succeeded(
    await partner.post('/Quotes', {
      addressUid,
      ...(packages.length > 0 ? { packages } : {}),
      ...wish.quote,
    }),
  )
  const people = typeof tenants === 'number' ? peopleOf(tenants) : tenants
  const ids = people.length === 0 ? [] : await addTenants(partner, quoteId, people)
  if (products.length > 0) await addBroadband(partner, { quoteId, addressUid }, products)
  const [lead = ''] = ids
  return { quoteId, addressUid, lead, tenants: ids }
}

/** The addressUid of a sandbox property. */
export async function findHome(partner: Partner, postcode: string, says = ''): Promise<string> {
  const homes = succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`))
  const home = homes.find(({ addressLine1 }) => addressLine1.includes(says))
  if (home === undefined) throw new Error(`no home at ${postcode} says "${says}"`)
  return home.addressUid
}

/** Made-up people with addresses that lead nowhere. */
export function peopleOf(count: number): { name: string; email: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Robin Example${index + 1}`,
    email: `robin${index + 1}@example.com`,
  }))
}

/** Adds people and returns the ids of those added, in their order. */
export async function addTenants(
  partner: Partner,
  quoteId: string,
  people: readonly { name: string; email: string }[],
): Promise<string[]> {
  const answer = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: people }))
  return people.map(({ email }) => {
    const added = answer.tenants.find((tenant) => tenant.email === email)
    assert.ok(added, `${email} is not among the tenants`)
    return added.tenantId
  })
}

export async function addBroadband(
  partner: Partner,
  { quoteId, addressUid }: Pick<Household, 'quoteId' | 'addressUid'>,
  broadbandProducts: readonly string[],
): Promise<Reply<'POST', '/Quotes/{id}/add-broadband-products'>> {
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
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
): Promise<Answer<Reply<'POST', '/Customers/{id}/finalise-personal-information'>>> {
  return partner.post(
    `/Customers/${customerId}/finalise-personal-information`,
    personalInformation({ email: `${customerId}@example.com`, ...changes }),
  )
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
