import type { Operations } from '../clients/typescript/src/operations.ts'
import { packages, postcode, priceHousehold } from './requests/walk.ts'

/** Sends the request with this number of a partner's page: reads, and one new quote in seven. */
export type SendOfMix = (index: number) => Promise<unknown>

/** Prepares a household, and returns what sends the requests of a partner's page. */
export async function preparePartnerMix(api: Operations): Promise<SendOfMix> {
  const { quoteId, addressUid } = await priceHousehold(api)
  const getQuote = () => api.getQuote(quoteId)
  const lookup = () => api.lookupAddresses({ postcode })
  const totalCost = () => api.getQuoteTotalCost(quoteId)
  const createQuote = () => api.createQuote({ addressUid, packages })
  const mix = [getQuote, lookup, totalCost, getQuote, lookup, totalCost, createQuote]
  return async (index) => mix[index % mix.length]?.()
}
