import type {
  ConfirmSetupIntentRequest,
  CreatedQuote,
  CreateQuoteRequest,
  NewTenant,
  PersonalInformationRequest,
} from './api-types.ts'
import type { Operations } from './operations.ts'

/** What to quote, and for whom. Everything has a default. */
export interface SandboxHousehold extends Omit<CreateQuoteRequest, 'addressUid'> {
  /** Defaults to the first property at the postcode. */
  addressUid?: string
  /** A postcode with sample properties. Defaults to `NR4 7TJ`. */
  postcode?: string
  /** From 1 to 12, or who they are. Defaults to 2. */
  tenants?: number | readonly NewTenant[]
  /** Broadband products to add after the availability check. Defaults to none. */
  broadbandProducts?: readonly string[]
}

/** The ids of a household. */
export interface SignedUpHousehold {
  quoteId: string
  /** The lead tenant's first. */
  customerIds: readonly string[]
}

export interface StartedHousehold extends SignedUpHousehold {
  addressUid: string
  quote: CreatedQuote
  /** As they were added. */
  tenants: readonly NewTenant[]
}

/**
 * Takes an invented household in a sandbox from an address to contracts in force, for tests of what follows: contracts,
 * payments, replacements. Throws what the methods of the client throw.
 */
export async function signUpSandboxHousehold(
  client: Operations,
  household: SandboxHousehold = {},
): Promise<SignedUpHousehold> {
  const { quoteId, customerIds, tenants } = await startHousehold(client, household)
  for (const [index, tenant] of tenants.entries())
    await onboardCustomer(client, customerIds[index] ?? '', 'contract', inventDetails(tenant))
  return { quoteId, customerIds }
}

/**
 * The steps of the whole household: the quote with its packages, the tenants and broadband. Its customers can then
 * onboard.
 */
export async function startHousehold(client: Operations, household: SandboxHousehold = {}): Promise<StartedHousehold> {
  const { postcode = 'NR4 7TJ', tenants = 2, broadbandProducts = [], packages, ...options } = household
  const { addressUid = await findProperty(client, postcode), ...quoteOptions } = options
  const quote = await client.createQuote({ ...quoteOptions, addressUid, ...(packages?.length ? { packages } : {}) })
  const { quoteId } = quote
  if (packages === undefined) await addDefaultPackages(client, quote)
  const people = typeof tenants === 'number' ? inventTenants(tenants) : tenants
  const added = people.length === 0 ? [] : (await client.addTenants(quoteId, { tenants: people })).tenants
  if (broadbandProducts.length > 0) {
    await client.runBroadbandAvailabilityCheck(addressUid)
    await client.addBroadbandProducts(quoteId, { broadbandProducts })
  }
  return { quoteId, addressUid, quote, tenants: people, customerIds: added.map(({ tenantId }) => tenantId) }
}

/** How far a customer's onboarding has come. */
export type CustomerStage = 'details' | 'card' | 'contract'

/** Takes a customer through the steps up to a stage. */
export async function onboardCustomer(
  client: Operations,
  customerId: string,
  upTo: CustomerStage,
  details: PersonalInformationRequest,
): Promise<void> {
  await client.finalisePersonalInformation(customerId, details)
  if (upTo !== 'details') await attachCard(client, customerId)
  if (upTo === 'contract') await client.acceptTerms(customerId)
}

/** Confirms the customer's setup intent with a test card. Creates the intent if there is none. Returns its id. */
export async function attachCard(
  client: Operations,
  customerId: string,
  paymentMethod: ConfirmSetupIntentRequest['paymentMethod'] = 'pm_card_visa',
): Promise<string> {
  const { setupIntentId } = await client.createSetupIntent(customerId)
  await client.sandboxConfirmSetupIntent(setupIntentId, { paymentMethod })
  return setupIntentId
}

/** Valid details of a tenant. */
export function inventDetails({ name, email = 'tenant@bills.example' }: NewTenant): PersonalInformationRequest {
  const [firstName = name, ...lastNames] = name.split(' ')
  return { firstName, lastName: lastNames.join(' '), email, phone: '07700 900123', dateOfBirth: '1995-12-10' }
}

const names = [
  'Amara Okafor',
  'Ben Carter',
  'Chloe Davies',
  'Dev Patel',
  'Eilidh Fraser',
  'Farid Hussain',
  'Grace Whitmore',
  'Hugo Lindqvist',
  'Isla Murray',
  'Jun Tanaka',
  'Katya Novak',
  'Liam O’Brien',
]

/** Up to twelve people. RFC 2606 reserves their email domain, and Ofcom the phone number of their details for drama. */
export function inventTenants(count: number): NewTenant[] {
  return names.slice(0, count).map((name, index) => ({ name, email: `tenant-${index + 1}@example.com` }))
}

/** The first property at the postcode, if possible one that has both meters. */
async function findProperty(client: Operations, postcode: string): Promise<string> {
  const properties = await client.lookupAddresses({ postcode })
  const property = properties.find(({ mpan, mprn }) => mpan !== null && mprn !== null) ?? properties[0]
  if (property === undefined) throw new Error(`${postcode} has no property`)
  return property.addressUid
}

/** Adds what is offered by default, except for broadband, which needs an availability check. */
async function addDefaultPackages(client: Operations, { quoteId, availablePackages }: CreatedQuote): Promise<void> {
  const packageIds = availablePackages
    .filter(({ isDefault, type }) => isDefault && type !== 'broadband')
    .map(({ packageId }) => packageId)
  if (packageIds.length > 0) await client.addPackages(quoteId, { packageIds })
}
