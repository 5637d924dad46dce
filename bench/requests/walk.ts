import type { Operations } from '../../clients/typescript/src/operations.ts'
import {
  attachCard,
  inventDetails,
  onboardCustomer,
  type StartedHousehold,
  startHousehold,
} from '../../clients/typescript/src/sandbox-household.ts'

/** A postcode of the sandbox, and what the benchmarks quote there. */
export const postcode = 'LS29JT'
/** A postcode at which no benchmark completes a quote, so that nothing overlaps with a quote there. */
export const quietPostcode = 'NR47TJ'
export const packages = ['electricity', 'gas'] as const

/**
 * Takes a household of three from the lookup of its address to its contracts: 25 calls. Returns the links to the
 * contract of the last tenant.
 */
export async function walkJourney(api: Operations): Promise<{ html: string; pdf: string }> {
  const { customerIds, tenants } = await priceHousehold(api)
  let contractUrls = { html: '', pdf: '' }
  for (const [index, tenant] of tenants.entries()) {
    const customerId = customerIds[index] ?? ''
    await onboardCustomer(api, customerId, 'details', inventDetails(tenant))
    await api.getPaymentSchedules(customerId)
    await attachCard(api, customerId)
    await api.acceptTerms(customerId)
    const html = await api.getPciContractUrlHtml(customerId)
    const pdf = await api.getPciContractUrlPdf(customerId)
    contractUrls = { html: html.contractUrl, pdf: pdf.contractUrl }
  }
  return contractUrls
}

/** The first four calls: a quote with packages and three tenants. */
export async function priceHousehold(api: Operations, at = postcode): Promise<StartedHousehold> {
  const household = await startHousehold(api, { postcode: at, packages, tenants: 3 })
  await api.getQuoteTotalCost(household.quoteId)
  return household
}
