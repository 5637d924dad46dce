import Type from 'typebox'
import { customerStatuses, paymentStatuses } from '../../../domain/customers/customer.ts'
import { getCustomer } from '../../../domain/customers/get-customer.ts'
import { route } from '../../route.ts'
import { maxLines } from '../../wire/cost.ts'
import { presentServices, Service } from '../../wire/customer.ts'
import { outputPersonalFields, presentPersonalDetails } from '../../wire/personal-details.ts'
import { Id } from '../../wire/values.ts'

/** As in the specification, the date of birth is left out. */
const { dateOfBirth: _, ...contactFields } = outputPersonalFields
const PersonalDetails = Type.Object(contactFields, { additionalProperties: false })

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
      services: Type.Array(Service, { maxItems: maxLines }),
    },
    { additionalProperties: false },
  ),
  handle: (services, { caller, id }) => getCustomer(services, caller, id),
  present: ({ customer, quote }) => {
    const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
    return {
      customerId: customer.customerId,
      quoteId: customer.quoteId,
      status: customer.status,
      personalDetails: contact,
      paymentStatus: customer.paymentStatus,
      services: presentServices(quote.price, customer.status),
    }
  },
})
