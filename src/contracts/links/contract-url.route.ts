import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { ContractNumber } from '../contract.schema.ts'
import type { DocumentFormat } from '../document-format.ts'
import { contractUrl } from './contract-url.ts'

const ContractLink = ResponseObject('ContractLink', 'A link to a contract document.', {
  customerId: Id('The id of the customer.'),
  contractNumber: ContractNumber,
  contractUrl: Type.String({
    format: 'uri',
    maxLength: 2_048,
    description: 'A link that opens this document without credentials until `expiresAt`.',
  }),
  pageUrl: Type.String({
    format: 'uri',
    maxLength: 2_048,
    description:
      'A link to a page for the tenant: it shows the present state of the contract, and the document below it. It works as long as `contractUrl`.',
  }),
  expiresAt: Timestamp('When the links stop working.'),
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
    present: ({ customerId, contractNumber, contractUrl: url, pageUrl, expiresAt }) => ({
      customerId,
      contractNumber,
      contractUrl: url,
      pageUrl,
      expiresAt: timestamp(expiresAt),
    }),
  })
}
