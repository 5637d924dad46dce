import Type, { type Static } from 'typebox'
import type { CustomerStatus } from '../../domain/customers/customer.ts'
import type { QuotePrice } from '../../domain/pricing/price.ts'
import { DateOnly, Id, Text } from './values.ts'

export const Service = Type.Object(
  {
    serviceId: Id('The package id; for broadband, the product id.'),
    name: Text(200),
    status: Type.Enum(['pending', 'active']),
    startDate: DateOnly,
  },
  { additionalProperties: false },
)

/** One service for each selected package (for broadband: each product); pending until the customer is onboarded. */
export function presentServices(price: QuotePrice | null, customerStatus: CustomerStatus): Static<typeof Service>[] {
  const status = customerStatus === 'OnboardingComplete' ? 'active' : 'pending'
  return (price?.lines ?? []).map(({ packageId, productId, name, startDate }) => ({
    serviceId: productId ?? packageId,
    name,
    status,
    startDate,
  }))
}
