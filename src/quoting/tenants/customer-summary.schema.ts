import Type, { type Static } from 'typebox'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, presentAs, Timestamp } from '../../platform/http/schemas/values.ts'
import type { Id as IdOf } from '../../platform/kernel/ids.ts'
import { CustomerStatusName, MetadataObject, PaymentStatusName } from '../quotes/quote.schema.ts'
import { maxTenantsEver } from '../quotes/quote.ts'
import type { IncludedCustomers } from '../quotes/read-quotes.ts'
import { emailFates } from './customer.ts'
import type { CustomerSummary } from './customer-list.store.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.schema.ts'

/** As in the specification, the date of birth is left out. */
const { dateOfBirth: _, ...contactFields } = outputPersonalFields
const ContactDetails = ResponseObject('ContactDetails', 'The contact details of the customer.', contactFields)

/** What a list and the customer's own page show alike. */
export const summaryFields = {
  customerId: Id('The id of the customer. It is also the tenantId.'),
  quoteId: Id('The id of the quote.'),
  status: CustomerStatusName,
  personalDetails: ContactDetails,
  paymentStatus: PaymentStatusName,
  metadata: MetadataObject,
}

export const removedAt = Nullable(
  Timestamp('When the customer was removed from the quote; null unless they once agreed to a contract of it.'),
)

export const lastEmail = Nullable(
  Choice(
    emailFates,
    'What became of the latest e-mail to the customer; null if there was none, or it is still to be sent. `sent`: the mail server took it. `given_up`: the mail server rejected the address, or did not take the e-mail for three days. `refused`: somebody at the address said that they are not who was meant. `not_permitted`: you recorded no permission to write to them. `test_address`: an address that nobody can have.',
  ),
)

export const CustomerSummaryObject = ResponseObject('CustomerSummary', 'A customer in short.', {
  ...summaryFields,
  removedAt,
  lastEmail,
})

export function presentCustomerSummary(customer: CustomerSummary): Static<typeof CustomerSummaryObject> {
  const { dateOfBirth: _, ...personalDetails } = presentPersonalDetails(customer.personal)
  return presentAs(CustomerSummaryObject, { ...customer, personalDetails, metadata: customer.personal.metadata })
}

/** The parameter of the reads of quotes. */
export const includeQuery = {
  include: Type.Optional(
    Choice(
      ['customers'],
      '`customers` adds the customers of each quote in short. It needs the scope `customers:read`, and the audit log records that each was read.',
    ),
  ),
}

/** The member that the parameter adds to a quote. */
export const includedFields = {
  customers: Type.Optional(
    Type.Array(CustomerSummaryObject, {
      maxItems: maxTenantsEver,
      description: 'With `include=customers`: the customers on the quote, in the order in which they joined.',
    }),
  ),
}

/** The member of this quote; none if the customers were not asked for. */
export function presentIncluded(
  included: IncludedCustomers,
  quoteId: IdOf<'quote'>,
): { customers?: Static<typeof CustomerSummaryObject>[] } {
  return included === undefined ? {} : { customers: (included.get(quoteId) ?? []).map(presentCustomerSummary) }
}
