import Type, { type Static } from 'typebox'
import type { CustomerStatus } from '../../domain/customers/customer.ts'
import type { CustomerView } from '../../domain/customers/get-customer.ts'
import { paymentError, paymentErrorCodes } from '../../domain/payments/payment-error.ts'
import type { QuotePrice } from '../../domain/pricing/price.ts'
import { maxLines } from './cost.ts'
import { PaymentStatusName } from './event.ts'
import { Choice, NamedChoice, Nullable, ResponseObject } from './named.ts'
import { outputPersonalFields, presentPersonalDetails } from './personal-details.ts'
import { CustomerStatusName } from './quote.ts'
import { DateOnly, Id, Text, WholeNumber } from './values.ts'

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
  services: Type.Array(CustomerService, {
    maxItems: maxLines,
    description: 'One service for each selected package; for broadband, one for each product.',
  }),
})

export function presentCustomer({ customer, quote, card }: CustomerView): Static<typeof CustomerObject> {
  const { dateOfBirth, ...contact } = presentPersonalDetails(customer.personal)
  return {
    customerId: customer.customerId,
    quoteId: customer.quoteId,
    status: customer.status,
    personalDetails: contact,
    paymentStatus: customer.paymentStatus,
    paymentMethod: card,
    lastPaymentError: customer.lastPaymentError === null ? null : paymentError(customer.lastPaymentError),
    services: presentServices(quote.price, customer.status),
  }
}
