import Type, { type Static } from 'typebox'
import type { CustomerView } from '../../domain/customers/customer-view.ts'
import { serviceStatusOf } from '../../domain/packages/service-status.ts'
import { paymentError, paymentErrorCodes } from '../../domain/payments/payment-error.ts'
import { serviceIds } from '../../domain/pricing/customer-packages.ts'
import { ContractObject, presentContract } from './contract.ts'
import { MetadataObject } from './metadata.ts'
import { described, NamedChoice, Nullable, ResponseObject } from './named.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.ts'
import { maxLines } from './prices/cost.ts'
import { CustomerStatusName } from './quote.ts'
import { ServiceStatusName } from './service-status.ts'
import { DateOnly, Id, Text, Timestamp, timestamp, WholeNumber } from './values.ts'
import { PaymentStatusName } from './webhooks/event.ts'

const CustomerService = ResponseObject('CustomerService', 'A service the customer gets.', {
  serviceId: Id(
    "The package id; for broadband, the product id. If another service of the customer has that id, the package's id and a slash precede it.",
  ),
  name: Text(200, 'The name of the package or product.'),
  status: ServiceStatusName,
  startDate: DateOnly('The first day of supply.'),
})

/** One service for each selected package (for broadband: each product). */
function presentServices({ customer, quote, contract }: CustomerView): Static<typeof CustomerService>[] {
  const lines = quote.price?.lines ?? []
  const ids = serviceIds(lines)
  const { serviceStatuses } = quote
  const about = { status: customer.status, contract }
  return lines.map(({ name, startDate }, index) => {
    const serviceId = ids[index] ?? ''
    const status = serviceStatusOf({ reported: serviceStatuses[serviceId], startDate }, about)
    return { serviceId, name, status, startDate }
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

export const CustomerObject = ResponseObject('Customer', 'A tenant of a quote, on the way to a contract.', {
  customerId: Id('The id of the customer. It is also the tenantId.'),
  quoteId: Id('The id of the quote.'),
  status: CustomerStatusName,
  personalDetails: ContactDetails,
  paymentStatus: PaymentStatusName,
  paymentMethod: Nullable(PaymentMethod),
  lastPaymentError: Nullable(PaymentError),
  contract: Nullable(
    described(ContractObject, 'The contract that the customer agreed to last; null if there was none.'),
  ),
  metadata: MetadataObject,
  removedAt: Nullable(
    Timestamp('When the customer was removed from the quote; null unless they once agreed to a contract of it.'),
  ),
  services: Type.Array(CustomerService, {
    maxItems: maxLines,
    description: 'One service for each selected package; for broadband, one for each product.',
  }),
})

export function presentCustomer(view: CustomerView): Static<typeof CustomerObject> {
  const { customer, card, contract } = view
  const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
  return {
    customerId: customer.customerId,
    quoteId: customer.quoteId,
    status: customer.status,
    personalDetails: contact,
    paymentStatus: customer.paymentStatus,
    paymentMethod: card,
    lastPaymentError: customer.lastPaymentError === null ? null : paymentError(customer.lastPaymentError),
    contract: contract === null ? null : presentContract(contract),
    metadata: customer.personal.metadata,
    removedAt: customer.removedAt === null ? null : timestamp(customer.removedAt),
    services: presentServices(view),
  }
}
