import Type, { type Static } from 'typebox'
import type { CustomerSummary } from '../../domain/customers/customer-list.store.ts'
import type { CustomerView } from '../../domain/customers/customer-view.ts'
import { shownServiceStatus } from '../../domain/packages/service-status.ts'
import { paymentError, paymentErrorCodes } from '../../domain/payments/payment-error.ts'
import { serviceIds } from '../../domain/pricing/customer-packages.ts'
import type { IncludedCustomers } from '../../domain/quotes/include-customers.ts'
import { maxTenantsEver } from '../../domain/quotes/quote.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { Id as IdOf } from '../../kernel/ids.ts'
import type { PresentedAt } from '../route.ts'
import { ContractObject, presentContract } from './contract.ts'
import { MetadataObject } from './metadata.ts'
import { Choice, described, NamedChoice, Nullable, ResponseObject } from './named.ts'
import { PaymentStatusName } from './payment.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.ts'
import { maxLines } from './prices/cost.ts'
import { CustomerStatusName } from './quote.ts'
import { ServiceStatusName, StatusSourceName } from './service-status.ts'
import { DateOnly, Id, Text, Timestamp, timestamp, WholeNumber } from './values.ts'

const CustomerService = ResponseObject('CustomerService', 'A service the customer gets.', {
  serviceId: Id(
    "The package id; for broadband, the product id. If another service of the customer has that id, the package's id and a slash precede it.",
  ),
  name: Text(200, 'The name of the package or product.'),
  status: ServiceStatusName,
  statusSource: StatusSourceName,
  startDate: DateOnly('The first day of supply.'),
})

/** One service for each selected package (for broadband: each product). */
function presentServices(
  { customer, quote, contract }: CustomerView,
  { now, quotePolicy: { presumesSupply } }: PresentedAt,
): Static<typeof CustomerService>[] {
  const lines = quote.price?.lines ?? []
  const ids = serviceIds(lines)
  const { serviceStatuses } = quote
  const about = { status: customer.status, contract }
  const today = londonDate(now)
  return lines.map(({ name, startDate }, index) => {
    const serviceId = ids[index] ?? ''
    const reported = serviceStatuses[serviceId]
    const shown = shownServiceStatus({ reported, startDate }, about, { presumesSupply, today })
    return { serviceId, name, ...shown, startDate }
  })
}

/** As in the specification, the date of birth is left out. */
const { dateOfBirth: _, ...contactFields } = outputPersonalFields
const ContactDetails = ResponseObject('ContactDetails', 'The contact details of the customer.', contactFields)

/** The card in use, as GET customer and the export show it. */
export const PaymentMethod = ResponseObject(
  'PaymentMethod',
  'The attached card; null if there is none, or until the payment processor has returned its details.',
  {
    brand: Text(50, 'The brand in lower case, such as `visa` or `mastercard`.'),
    last4: Text(4, 'The last four digits of the card number.'),
    expiryMonth: WholeNumber({ minimum: 1, maximum: 12, description: 'The month in which the card expires.' }),
    expiryYear: WholeNumber({ minimum: 2000, maximum: 9999, description: 'The year in which the card expires.' }),
  },
)

export const PaymentError = ResponseObject(
  'PaymentError',
  'Why the last attempt to attach a card or to collect a payment failed; null if it succeeded.',
  {
    code: NamedChoice('PaymentErrorCode', paymentErrorCodes, 'Why it failed. New codes may be added.'),
    message: Text(300, 'The reason in words that you can show to the tenant.'),
  },
)

/** What a list and the customer's own page show alike. */
const summaryFields = {
  customerId: Id('The id of the customer. It is also the tenantId.'),
  quoteId: Id('The id of the quote.'),
  status: CustomerStatusName,
  personalDetails: ContactDetails,
  paymentStatus: PaymentStatusName,
  metadata: MetadataObject,
}

const removedAt = Nullable(
  Timestamp('When the customer was removed from the quote; null unless they once agreed to a contract of it.'),
)

export const CustomerSummaryObject = ResponseObject('CustomerSummary', 'A customer in short.', {
  ...summaryFields,
  removedAt,
})

export const CustomerObject = ResponseObject('Customer', 'A tenant of a quote, on the way to a contract.', {
  ...summaryFields,
  paymentMethod: Nullable(PaymentMethod),
  lastPaymentError: Nullable(PaymentError),
  contract: Nullable(
    described(ContractObject, 'The contract that the customer agreed to last; null if there was none.'),
  ),
  removedAt,
  services: Type.Array(CustomerService, {
    maxItems: maxLines,
    description: 'One service for each selected package; for broadband, one for each product.',
  }),
})

export function presentCustomer(view: CustomerView, at: PresentedAt): Static<typeof CustomerObject> {
  const { customer, card, contract } = view
  const { removedAt, ...summary } = presentCustomerSummary(customer)
  return {
    ...summary,
    paymentMethod: card,
    lastPaymentError: customer.lastPaymentError === null ? null : paymentError(customer.lastPaymentError),
    contract: contract === null ? null : presentContract(contract),
    removedAt,
    services: presentServices(view, at),
  }
}

export function presentCustomerSummary(customer: CustomerSummary): Static<typeof CustomerSummaryObject> {
  const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
  return {
    customerId: customer.customerId,
    quoteId: customer.quoteId,
    status: customer.status,
    personalDetails: contact,
    paymentStatus: customer.paymentStatus,
    metadata: customer.personal.metadata,
    removedAt: customer.removedAt === null ? null : timestamp(customer.removedAt),
  }
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
