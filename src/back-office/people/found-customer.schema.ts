import Type, { type Static } from 'typebox'
import { ContractNumber, ContractStatusName } from '../../contracts/contract.schema.ts'
import { Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { PageOf } from '../../platform/http/schemas/page.ts'
import { Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { presentQuoteAddress, QuoteAddress } from '../../quoting/quotes/quote.schema.ts'
import { outputPersonalFields, presentPersonalDetails } from '../../quoting/tenants/personal-details.schema.ts'
import type { FoundCustomer } from './find-customers.ts'

const ContractOfCustomer = ResponseObject('ContractOfCustomer', 'A contract, by its number.', {
  contractNumber: ContractNumber,
  status: ContractStatusName,
})

const FoundCustomerObject = ResponseObject('FoundCustomer', 'A customer of any partner.', {
  customerId: Id('The id of the customer.'),
  partnerId: Id('The id of the partner.'),
  partnerName: Text(200, 'The name of the partner.'),
  quoteId: Id('The id of the quote.'),
  reference: Nullable(Text(100, "The partner's own id of the quote; null if it has none.")),
  personalDetails: ResponseObject('FoundPerson', 'The person.', outputPersonalFields),
  address: QuoteAddress,
  contracts: Type.Array(ContractOfCustomer, { maxItems: 100, description: 'What they agreed to, the oldest first.' }),
  createdAt: Timestamp('When they were added to the quote.'),
  removedAt: Nullable(Timestamp('When they were removed from the quote; null if they were not.')),
  erasedAt: Nullable(Timestamp('When their personal data was erased; null if it was not.')),
})

export const FoundCustomerList = PageOf('FoundCustomerList', FoundCustomerObject)

export function presentFoundCustomer(found: FoundCustomer): Static<typeof FoundCustomerObject> {
  const { customerId, partnerId, partnerName, quoteId, reference, personal, address, contracts } = found
  const { createdAt, removedAt, erasedAt } = found
  return {
    ...{ customerId, partnerId, partnerName, quoteId, reference },
    personalDetails: presentPersonalDetails(personal),
    address: presentQuoteAddress(address),
    contracts,
    createdAt: timestamp(createdAt),
    removedAt: removedAt === null ? null : timestamp(removedAt),
    erasedAt: erasedAt === null ? null : timestamp(erasedAt),
  }
}
