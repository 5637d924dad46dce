import type { Static } from 'typebox'
import type { CustomerStatus } from '../../domain/customers/customer.ts'
import { serviceIds } from '../../domain/pricing/customer-packages.ts'
import type { QuotePrice } from '../../domain/pricing/price.ts'
import { Choice, ResponseObject } from './named.ts'
import { DateOnly, Id, Text } from './values.ts'

export const CustomerService = ResponseObject('CustomerService', 'A service the customer gets.', {
  serviceId: Id(
    "The package id; for broadband, the product id. If another service of the customer has that id, the package's id and a slash precede it.",
  ),
  name: Text(200, 'The name of the package or product.'),
  status: Choice(['pending', 'active'], '`pending` until the customer is onboarded, then `active`.'),
  startDate: DateOnly('The first day of supply.'),
})

/** One service for each selected package (for broadband: each product); pending until the customer is onboarded. */
export function presentServices(
  price: QuotePrice | null,
  customerStatus: CustomerStatus,
): Static<typeof CustomerService>[] {
  const status = customerStatus === 'OnboardingComplete' ? 'active' : 'pending'
  const lines = price?.lines ?? []
  const ids = serviceIds(lines)
  return lines.map(({ name, startDate }, index) => ({ serviceId: ids[index] ?? '', name, status, startDate }))
}
