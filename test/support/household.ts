import type { CreateQuoteRequest, NewTenant } from '../../clients/typescript/src/api-types.ts'
import type { Call } from '../../clients/typescript/src/call.ts'
import { searchOf } from '../../clients/typescript/src/exchange.ts'
import { Operations } from '../../clients/typescript/src/operations.ts'
import * as walk from '../../clients/typescript/src/sandbox-household.ts'
import type { ApiResponse, Partner } from './client.ts'
import type { Reply } from './response-types.ts'
import { succeeded } from './responses.ts'
import { ordinaryProperty } from './sample-properties.ts'

/** A quote and its tenants; the first one is the lead tenant. */
export interface Household {
  quoteId: string
  addressUid: string
  lead: string
  /** Every tenant's id, starting with the lead tenant. */
  tenants: readonly string[]
}

/** The optional fields of POST /Quotes. */
export type QuoteOptions = Omit<CreateQuoteRequest, 'addressUid'>

export interface HouseholdOptions extends QuoteOptions {
  /** An ordinary sample property by default. */
  addressUid?: string
  /** Selects a property by postcode: the first one or, if `home` is given, the first whose addressLine1 contains it. */
  postcode?: string
  home?: string
  /** The number of tenants (2 by default), or their details. */
  tenants?: number | readonly NewTenant[]
  /** Broadband products to add after the availability check. */
  products?: readonly string[]
}

/**
 * Creates a quote with packages (electricity and gas by default; an empty list selects none), tenants and broadband,
 * ready for its customers to onboard.
 */
export async function startHousehold(partner: Partner, options: HouseholdOptions = {}): Promise<Household> {
  const { postcode, home, products = [], tenants = 2, ...quote } = options
  const {
    addressUid = postcode === undefined ? ordinaryProperty().addressUid : await findProperty(partner, postcode, home),
  } = options
  const { quoteId, customerIds } = await walk.startHousehold(new PartnerOperations(partner), {
    packages: ['electricity', 'gas'],
    ...quote,
    addressUid,
    tenants: typeof tenants === 'number' ? sampleTenants(tenants) : tenants,
    broadbandProducts: products,
  })
  const [lead = ''] = customerIds
  return { quoteId, addressUid, lead, tenants: customerIds }
}

/** The addressUid of the first property at this postcode whose addressLine1 contains `line1`. */
export async function findProperty(partner: Partner, postcode: string, line1 = ''): Promise<string> {
  const homes = succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`))
  const home = homes.find(({ addressLine1 }) => addressLine1.includes(line1))
  if (home === undefined) throw new Error(`no property at ${postcode} with "${line1}"`)
  return home.addressUid
}

/** The fields of a tenant who was just added, apart from who they are. */
export const freshTenantFields = {
  metadata: {},
  status: 'active',
  replaces: null,
  joinsOn: null,
  leavesOn: null,
} as const

/** Made-up tenants with unroutable e-mail addresses, numbered from `from`. */
export function sampleTenants(count: number, from = 1): NewTenant[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Robin Example${from + index}`,
    email: `robin${from + index}@example.com`,
  }))
}

/** Adds tenants, who are then the last of the quote, and returns their ids in the same order. */
export async function addTenants(
  partner: Partner,
  quoteId: string,
  people: readonly NewTenant[],
): Promise<readonly string[]> {
  const { tenants } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: people }))
  return tenants.slice(-people.length).map(({ tenantId }) => tenantId)
}

/** Runs the availability check for the quote's property and adds products. */
export async function addBroadband(
  partner: Partner,
  quoteId: string,
  broadbandProducts: readonly string[] = ['fibre-150'],
): Promise<Reply<'POST', '/Quotes/{id}/add-broadband-products'>> {
  const { address } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${address.addressUid}`))
  return succeeded(await partner.post(`/Quotes/${quoteId}/add-broadband-products`, { broadbandProducts }))
}

/** A valid body for finalise-personal-information. `changes` overrides fields; `undefined` removes one. */
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

/** Valid Priority Services Register details with every field. `changes` overrides fields. */
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

/** Submits a tenant's details. Each tenant gets a different e-mail address by default. */
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

/**
 * Submits a tenant's details and creates a setup intent, which makes the quote active and locked. Returns the intent's
 * id.
 */
export async function startPaymentSetup(partner: Partner, customerId: string): Promise<string> {
  succeeded(await finalise(partner, customerId))
  return succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`)).setupIntentId
}

/** Confirms the customer's setup intent with a card, creating the intent if needed. Returns the intent's id. */
export function attachCard(
  partner: Partner,
  customerId: string,
  paymentMethod?: Parameters<typeof walk.attachCard>[2],
): Promise<string> {
  return walk.attachCard(new PartnerOperations(partner), customerId, paymentMethod)
}

/** Takes a tenant through every step up to and including accepting the terms. */
export async function onboard(
  partner: Partner,
  customerId: string,
  changes: Record<string, unknown> = {},
): Promise<Reply<'POST', '/Customers/{id}/accept-terms'>> {
  succeeded(await finalise(partner, customerId, changes))
  await attachCard(partner, customerId)
  return succeeded(await partner.post(`/Customers/${customerId}/accept-terms`))
}

export async function quoteStatus(partner: Partner, quoteId: string): Promise<string> {
  return succeeded(await partner.get(`/Quotes/${quoteId}`)).status
}

export async function paymentStatus(partner: Partner, customerId: string): Promise<string> {
  return succeeded(await partner.get(`/Customers/${customerId}`)).paymentStatus
}

/**
 * The methods of the TypeScript client over a test's partner. Each call has to succeed, and its response to fit the API
 * document.
 */
export class PartnerOperations extends Operations {
  readonly #partner: Pick<Partner, 'send'>

  constructor(partner: Pick<Partner, 'send'>) {
    super()
    this.#partner = partner
  }

  protected async send<Response>({ method, path, query, body }: Call): Promise<Response> {
    const response = await this.#partner.send(method, `${path.replace('/partner-api', '')}${searchOf(query)}`, body)
    // Safe: the response was checked against the schema that the client's types are made from.
    return succeeded(response) as Response
  }
}
