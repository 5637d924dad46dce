import type { ApiClient, ApiReply } from '../api-client.ts'

/** A postcode of the sandbox, and what the benchmarks quote there. */
export const postcode = 'LS29JT'
export const packages = ['electricity', 'gas'] as const

const people = ['Ada', 'Ben', 'Chloe'].map((firstName, index) => ({
  firstName,
  lastName: 'Whitmore',
  email: `${firstName.toLowerCase()}@example.com`,
  phone: `07700 90010${index + 1}`,
  dateOfBirth: `199${index}-04-15`,
}))

/** The steps of a journey, in order. All from `personal details` on are taken for each of the three tenants. */
export const stepNames = [
  'address lookup',
  'create a quote',
  'add three tenants',
  'total cost',
  'personal details',
  'payment schedule',
  'setup intent',
  'confirm the card',
  'accept the terms',
  'contract URL, HTML',
  'contract URL, PDF',
] as const
export type StepName = (typeof stepNames)[number]

/** Calls `send` and returns its result, for example after measuring how long it took. */
export type TakeStep = (name: StepName, send: () => Promise<ApiReply>) => Promise<ApiReply>

/**
 * Takes a household of three from the lookup of its address to its contracts: 25 calls. Returns the links to the contract of the last
 * tenant. Throws if a call fails.
 */
export async function walkJourney(
  api: ApiClient,
  take: TakeStep = (_name, send) => send(),
): Promise<{ html: string; pdf: string }> {
  const { customerIds } = await priceHousehold(api, take)
  let contractUrls = { html: '', pdf: '' }
  for (const [index, customerId] of customerIds.entries()) {
    const customer = `/Customers/${customerId}`
    await take('personal details', () => giveDetails(api, customerId, index))
    await take('payment schedule', () => api.get(`${customer}/payment-schedules`))
    const { setupIntentId } = await take('setup intent', () => api.post(`${customer}/create-setup-intent`))
    const card = { paymentMethod: 'pm_card_visa' }
    await take('confirm the card', () => api.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, card))
    await take('accept the terms', () => api.post(`${customer}/accept-terms`))
    const html = await take('contract URL, HTML', () => api.get(`${customer}/pci-contract-url-html`))
    const pdf = await take('contract URL, PDF', () => api.get(`${customer}/pci-contract-url-pdf`))
    contractUrls = { html: html.contractUrl, pdf: pdf.contractUrl }
  }
  return contractUrls
}

/** The first four steps: a quote with packages and three tenants. */
export async function priceHousehold(
  api: ApiClient,
  take: TakeStep = (_name, send) => send(),
): Promise<{ quoteId: string; addressUid: string; customerIds: readonly string[] }> {
  const [home] = Object.values(await take('address lookup', () => api.get(`/Addresses/lookup?postcode=${postcode}`)))
  const { addressUid } = home as ApiReply
  const { quoteId } = await take('create a quote', () => api.post('/Quotes', { addressUid, packages }))
  const tenants = people.map(({ firstName, lastName, email }) => ({ name: `${firstName} ${lastName}`, email }))
  const added = await take('add three tenants', () => api.post(`/Quotes/${quoteId}/add-tenants`, { tenants }))
  await take('total cost', () => api.get(`/Quotes/${quoteId}/total-cost`))
  return { quoteId, addressUid, customerIds: added.tenants.map(({ tenantId }) => tenantId) }
}

/** Gives the personal details of a customer, who is the tenant with this index. */
export function giveDetails(api: ApiClient, customerId: string, index: number): Promise<ApiReply> {
  const details = { ...people[index], psrDetails: { hasPsr: false } }
  return api.post(`/Customers/${customerId}/finalise-personal-information`, details)
}
