import Type, { type Static } from 'typebox'
import type { PresentedAt } from '../../platform/http/route.ts'
import { described, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import type { Quote } from '../quotes/quote.ts'
import { costFields, presentCost } from './cost.schema.ts'
import { presentWarnings, warningFields } from './price-warning.schema.ts'

const HouseholdCost = ResponseObject('HouseholdCost', 'What the whole household pays.', costFields)

/** What every response shows that changes what a quote costs. */
export const pricedFields = {
  cost: Nullable(
    described(
      HouseholdCost,
      'What the whole household pays, as total-cost splits it between the tenants; null while no package is selected.',
    ),
  ),
  ...warningFields,
}

const PricedFields = Type.Object(pricedFields)

export function presentPriced(quote: Quote, at: PresentedAt): Static<typeof PricedFields> {
  return { cost: quote.price === null ? null : presentCost(quote.price), ...presentWarnings(quote, at) }
}
