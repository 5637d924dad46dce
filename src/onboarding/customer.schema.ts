import Type, { type Static } from 'typebox'
import { ContractObject, presentContract } from '../contracts/contract.schema.ts'
import { paymentError, paymentErrorCodes } from '../payments/payment-error.ts'
import type { PresentedAt } from '../platform/http/route.ts'
import { described, NamedChoice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { DateOnly, Id, Text, WholeNumber } from '../platform/http/schemas/values.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { ServiceStatusName, StatusSourceName } from '../quoting/packages/service-status.schema.ts'
import { shownServiceStatus } from '../quoting/packages/service-status.ts'
import { maxLines } from '../quoting/pricing/cost.schema.ts'
import { serviceIds } from '../quoting/pricing/customer-packages.ts'
import { presentCustomerSummary, removedAt, summaryFields } from '../quoting/tenants/customer-summary.schema.ts'
import type { CustomerView } from './get-customer.ts'

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
  const { removedAt, lastEmail: _, ...summary } = presentCustomerSummary({ ...customer, lastEmail: null })
  return {
    ...summary,
    paymentMethod: card,
    lastPaymentError: customer.lastPaymentError === null ? null : paymentError(customer.lastPaymentError),
    contract: contract === null ? null : presentContract(contract),
    removedAt,
    services: presentServices(view, at),
  }
}
