import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { ContractNumber } from '../contract.schema.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { contractUrl, previewUrl, revokeLinks } from './contract-url.ts'

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
    handle: (deps, { caller, id, query }) =>
      contractUrl(deps, caller, { customerId: id, contractNumber: query.contractNumber, format }),
    present: ({ customerId, contractNumber, contractUrl: url, pageUrl, expiresAt }) => ({
      customerId,
      contractNumber,
      contractUrl: url,
      pageUrl,
      expiresAt: timestamp(expiresAt),
    }),
  })
}

const PreviewLink = ResponseObject('PreviewLink', 'A link to a preview of the contract.', {
  customerId: Id('The id of the customer.'),
  previewUrl: Type.String({
    format: 'uri',
    maxLength: 2_048,
    description:
      'A link that opens the draft without credentials until `expiresAt`. It answers 410 as soon as anything in the draft has changed.',
  }),
  expiresAt: Timestamp('When the link stops working.'),
  documentHash: Text(
    64,
    'The SHA-256 hash, in hexadecimal, of what the customer would agree to. Send it with accept-terms, so that the customer agrees to exactly what they were shown.',
  ),
})

/** The two preview operations differ only in the format. */
export function previewUrlRoute<Format extends DocumentFormat>(format: Format) {
  return route({
    operationId: format === 'html' ? 'getPciPreviewUrlHtml' : 'getPciPreviewUrlPdf',
    method: 'GET',
    path: `/Customers/{id}/pci-preview-url-${format}` as const,
    tag: 'Customers',
    summary: `Get a link to a preview of the pre-contract information (${format.toUpperCase()})`,
    description:
      'Show it to the tenant before they accept the terms. The document is the later contract, marked as a draft.',
    idDescription: 'customerId',
    scope: 'customers:read',
    reply: PreviewLink,
    errors: [
      'quote_expired',
      'quote_cancelled',
      'packages_required',
      'personal_information_required',
      'broadband_products_required',
      'already_onboarded',
      'customer_erased',
      'customer_removed',
    ],
    handle: (deps, { caller, id }) => previewUrl(deps, caller, { customerId: id, format }),
    present: ({ expiresAt, ...link }) => ({ ...link, expiresAt: timestamp(expiresAt) }),
  })
}

export const revokeLinksRoute = route({
  operationId: 'revokeLinks',
  method: 'POST',
  path: '/Customers/{id}/revoke-links',
  tag: 'Customers',
  summary: "Revoke the links to a customer's documents",
  description:
    'Every link to a contract or a preview of this customer that was made until now stops working at once, for example because it was sent to somebody else. New links work.',
  idDescription: 'customerId',
  scope: 'customers:write',
  reply: ResponseObject('RevokedLinks', 'Links that no longer work.', {
    customerId: Id('The id of the customer.'),
    revokedAt: Timestamp('Links that were made until then open nothing.'),
  }),
  handle: (deps, { caller, id }) => revokeLinks(deps, caller, id),
  present: ({ customerId, revokedAt }) => ({ customerId, revokedAt: timestamp(revokedAt) }),
})
