import Type from 'typebox'
import type { DocumentFormat } from '../../../domain/contracts/document-format.ts'
import { contractUrl } from '../../../domain/contracts/links/contract-url.ts'
import { route } from '../../route.ts'
import { ContractNumber } from '../../wire/contract.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Id, Timestamp, timestamp } from '../../wire/values.ts'

const ContractLink = ResponseObject('ContractLink', 'A link to a contract document.', {
  customerId: Id('The id of the customer.'),
  contractNumber: ContractNumber,
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
    query: Type.Object(
      {
        contractNumber: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 40,
            description:
              "The number of one of the customer's contracts. By default the contract that the customer has accepted.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    reply: ContractLink,
    errors: ['onboarding_incomplete', 'validation_failed'],
    handle: (services, { caller, id, query }) =>
      contractUrl(services, caller, { customerId: id, contractNumber: query.contractNumber, format }),
    present: ({ customerId, contractNumber, contractUrl: url, expiresAt }) => ({
      customerId,
      contractNumber,
      contractUrl: url,
      expiresAt: timestamp(expiresAt),
    }),
  })
}
