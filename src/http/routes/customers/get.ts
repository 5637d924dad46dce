import Type from 'typebox'
import { getCustomer } from '../../../domain/customers/get-customer.ts'
import { route } from '../../route.ts'
import { ContractObject, presentContract } from '../../wire/contract.ts'
import { maxLines } from '../../wire/cost.ts'
import { CustomerService, presentServices } from '../../wire/customer.ts'
import { described, Nullable, ResponseObject } from '../../wire/named.ts'
import { outputPersonalFields, presentPersonalDetails } from '../../wire/personal-details.ts'
import { CustomerStatusName } from '../../wire/quote.ts'
import { Id, Timestamp, timestamp } from '../../wire/values.ts'
import { PaymentStatusName } from '../../wire/webhooks/event.ts'

/** As in the specification, the date of birth is left out. */
const { dateOfBirth: _, ...contactFields } = outputPersonalFields
const ContactDetails = ResponseObject('ContactDetails', 'The contact details of the customer.', contactFields)

export const getCustomerRoute = route({
  operationId: 'getCustomer',
  method: 'GET',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: 'Get a customer',
  description: 'A customer is a tenant of a quote. The customerId and the tenantId are the same id.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: ResponseObject('Customer', 'A tenant of a quote, on the way to a contract.', {
    customerId: Id('The id of the customer. It is also the tenantId.'),
    quoteId: Id('The id of the quote.'),
    status: CustomerStatusName,
    personalDetails: ContactDetails,
    paymentStatus: PaymentStatusName,
    contract: Nullable(
      described(ContractObject, 'The contract that the customer agreed to last; null if there was none.'),
    ),
    removedAt: Nullable(
      Timestamp('When the customer was removed from the quote; null unless they once agreed to a contract of it.'),
    ),
    services: Type.Array(CustomerService, {
      maxItems: maxLines,
      description: 'One service for each selected package; for broadband, one for each product.',
    }),
  }),
  handle: (services, { caller, id }) => getCustomer(services, caller, id),
  present: ({ customer, quote, contract }) => {
    const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
    return {
      customerId: customer.customerId,
      quoteId: customer.quoteId,
      status: customer.status,
      personalDetails: contact,
      paymentStatus: customer.paymentStatus,
      contract: contract === null ? null : presentContract(contract),
      removedAt: customer.removedAt === null ? null : timestamp(customer.removedAt),
      services: presentServices(quote.price, customer.status),
    }
  },
})
