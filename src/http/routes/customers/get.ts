import Type from 'typebox'
import { customerStatuses, paymentStatuses } from '../../../domain/customers/customer.ts'
import { getCustomer } from '../../../domain/customers/get-customer.ts'
import { route } from '../../route.ts'
import { mostLines } from '../../wire/cost.ts'
import { presentServices, Service } from '../../wire/customer.ts'
import { Id, Text } from '../../wire/values.ts'

const PersonalDetails = Type.Object(
  {
    firstName: Text(100),
    lastName: Text(100),
    email: Text(254),
    phone: Text(16, 'The phone number in E.164 format. Empty until personal information is submitted.'),
  },
  { additionalProperties: false },
)

export const getCustomerRoute = route({
  operationId: 'getCustomer',
  method: 'GET',
  path: '/Customers/{id}',
  tag: 'Customers',
  summary: 'Get a customer',
  description: 'A customer is a tenant of a quote. The customerId and the tenantId are the same id.',
  idDescription: 'customerId',
  scope: 'customers:read',
  reply: Type.Object(
    {
      customerId: Id(),
      quoteId: Id(),
      status: Type.Enum([...customerStatuses]),
      personalDetails: PersonalDetails,
      paymentStatus: Type.Enum([...paymentStatuses]),
      services: Type.Array(Service, { maxItems: mostLines }),
    },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => getCustomer(services, caller, id),
  present: ({ customer, quote }) => {
    const { firstName, lastName, email, phone } = customer.personal
    return {
      customerId: customer.customerId,
      quoteId: customer.quoteId,
      status: customer.status,
      personalDetails: { firstName, lastName, email, phone },
      paymentStatus: customer.paymentStatus,
      services: presentServices(quote.price, customer.status),
    }
  },
})
