import Type, { type Static } from 'typebox'
import type { CustomerStatus } from '../../domain/customers/customer.ts'
import type { CustomerView } from '../../domain/customers/get-customer.ts'
import type { QuotePrice } from '../../domain/pricing/price.ts'
import { maxLines } from './cost.ts'
import { PaymentStatusName } from './event.ts'
import { Choice, ResponseObject } from './named.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.ts'
import { CustomerStatusName } from './quote.ts'
import { DateOnly, Id, Text } from './values.ts'

const CustomerService = ResponseObject('CustomerService', 'A service the customer gets.', {
  serviceId: Id('The package id; for broadband, the product id.'),
  name: Text(200, 'The name of the package or product.'),
  status: Choice(['pending', 'active'], '`pending` until the customer is onboarded, then `active`.'),
  startDate: DateOnly('The first day of supply.'),
})

/** One service for each selected package (for broadband: each product); pending until the customer is onboarded. */
function presentServices(price: QuotePrice | null, customerStatus: CustomerStatus): Static<typeof CustomerService>[] {
  const status = customerStatus === 'OnboardingComplete' ? 'active' : 'pending'
  return (price?.lines ?? []).map(({ packageId, productId, name, startDate }) => ({
    serviceId: productId ?? packageId,
    name,
    status,
    startDate,
  }))
}

/** As in the specification, the date of birth is left out. */
const { dateOfBirth: _, ...contactFields } = outputPersonalFields
const ContactDetails = ResponseObject('ContactDetails', 'The contact details of the customer.', contactFields)

export const CustomerObject = ResponseObject('Customer', 'A tenant of a quote, on the way to a contract.', {
  customerId: Id('The id of the customer. It is also the tenantId.'),
  quoteId: Id('The id of the quote.'),
  status: CustomerStatusName,
  personalDetails: ContactDetails,
  paymentStatus: PaymentStatusName,
  services: Type.Array(CustomerService, {
    maxItems: maxLines,
    description: 'One service for each selected package; for broadband, one for each product.',
  }),
})

export function presentCustomer({ customer, quote }: CustomerView): Static<typeof CustomerObject> {
  const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
  return {
    customerId: customer.customerId,
    quoteId: customer.quoteId,
    status: customer.status,
    personalDetails: contact,
    paymentStatus: customer.paymentStatus,
    services: presentServices(quote.price, customer.status),
  }
}
