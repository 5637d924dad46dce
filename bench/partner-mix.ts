import type { Operations } from '../clients/typescript/src/operations.ts'
import { packages, postcode, priceHousehold } from './requests/walk.ts'
import { type LoadResult, runSteadyLoad } from './steady-load.ts'

/** What a partner's page asks for: reads, and one new quote in seven. */
export type SendMix = (perSecond: number, seconds: number) => Promise<LoadResult>

/** Prepares a household, and returns what sends a partner's requests at a steady rate. */
export async function preparePartnerMix(api: Operations): Promise<SendMix> {
  const { quoteId, addressUid } = await priceHousehold(api)
  const getQuote = () => api.getQuote(quoteId)
  const lookup = () => api.lookupAddresses({ postcode })
  const totalCost = () => api.getQuoteTotalCost(quoteId)
  const createQuote = () => api.createQuote({ addressUid, packages })
  const mix = [getQuote, lookup, totalCost, getQuote, lookup, totalCost, createQuote]
  return (perSecond, seconds) => runSteadyLoad(perSecond, seconds, async (index) => mix[index % mix.length]?.())
}
