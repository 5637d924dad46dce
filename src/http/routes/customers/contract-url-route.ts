import Type from 'typebox'
import { contractUrl } from '../../../domain/contracts/contract-url.ts'
import type { DocumentFormat } from '../../../domain/contracts/document-format.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Id, Timestamp, timestamp } from '../../wire/values.ts'

const ContractLink = ResponseObject('ContractLink', 'A link to a contract document.', {
  customerId: Id('The id of the customer.'),
  contractUrl: Type.String({
    format: 'uri',
    maxLength: 2_048,
    description: 'A link that opens this document without credentials until `expiresAt`.',
  }),
  expiresAt: Timestamp('When the link stops working.'),
})

/** The two pre-contract-information operations differ only in the format. */
export function contractUrlRoute<Format extends DocumentFormat>(format: Format) {
  return route({
    operationId: format === 'html' ? 'getPciContractUrlHtml' : 'getPciContractUrlPdf',
    method: 'GET',
    path: `/Customers/{id}/pci-contract-url-${format}` as const,
    tag: 'Customers',
    summary: `Get a link to the pre-contract information (${format.toUpperCase()})`,
    idDescription: 'customerId',
    scope: 'customers:read',
    reply: ContractLink,
    errors: ['onboarding_incomplete'],
    handle: (services, { caller, id }) => contractUrl(services, caller, { customerId: id, format }),
    present: ({ customerId, contractUrl: url, expiresAt }) => ({
      customerId,
      contractUrl: url,
      expiresAt: timestamp(expiresAt),
    }),
  })
}
