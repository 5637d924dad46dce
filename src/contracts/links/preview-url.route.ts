import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import type { DocumentFormat } from '../document-format.ts'
import { previewUrl } from './preview-url.ts'

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
    handle: (services, { caller, id, isHead }) => previewUrl(services, caller, { customerId: id, format, isHead }),
    present: ({ expiresAt, ...link }) => ({ ...link, expiresAt: timestamp(expiresAt) }),
  })
}
