import Type from 'typebox'
import { ContractObject, presentContract } from '../contracts/contract.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, described, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag, Id, Text, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { acceptTerms } from './accept-terms.ts'

const AcceptTermsRequest = RequestObject('AcceptTermsRequest', 'What is accepted, and evidence of the acceptance.', {
  documentHash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      minLength: 64,
      maxLength: 64,
      description:
        'The `documentHash` of the preview that the tenant agrees to. If anything has changed since, the call is rejected.',
    }),
  ),
  tenantIp: Type.Optional(
    Type.String({ format: 'ip', maxLength: 64, description: "The tenant's IP address, IPv4 or IPv6." }),
  ),
  tenantUserAgent: Type.Optional(
    Type.String({ maxLength: 1_000, description: "The User-Agent header of the tenant's browser." }),
  ),
  shownText: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_000,
      description:
        'What your page said directly above the button, and the words of the button: what is bought, the price and the term. It proves that the tenant knew that they agree to pay. Stored encrypted.',
    }),
  ),
})

const DocumentPaths = ResponseObject('DocumentPaths', 'The calls that return links to the documents.', {
  htmlUrlPath: Text(200, 'The path of the call that returns a link to the contract as a page.'),
  pdfUrlPath: Text(200, 'The path of the call that returns a link to the contract as a PDF.'),
})

export const acceptTermsRoute = route({
  operationId: 'acceptTerms',
  method: 'POST',
  path: '/Customers/{id}/accept-terms',
  tag: 'Customers',
  summary: 'Accept the terms and complete onboarding',
  description:
    'Requires a setup intent that succeeded. Creates a contract and its documents; when the last tenant accepts, the contracts of the household take effect and the quote is completed. Locks a quote that is open. Calling again returns the same `termsAcceptedAt`. The optional body records evidence of the acceptance.',
  idDescription: 'customerId',
  scope: 'customers:write',
  body: AcceptTermsRequest,
  bodyIsOptional: true,
  reply: ResponseObject('AcceptedTerms', 'A customer who has accepted the terms.', {
    customerId: Id('The id of the customer.'),
    status: Choice(['OnboardingComplete'], 'Always `OnboardingComplete`.'),
    onboardingComplete: Flag('Always true.'),
    termsAcceptedAt: Timestamp('When the terms were accepted.'),
    contract: described(ContractObject, 'The contract, as `GET /Customers/{id}` shows it.'),
    documents: DocumentPaths,
  }),
  errors: [
    'validation_failed',
    'quote_cancelled',
    'quote_expired',
    'packages_required',
    'broadband_products_required',
    'payment_setup_incomplete',
    'supply_request_required',
    'terms_changed',
    'terms_not_shown',
    'already_onboarded',
    'customer_erased',
    'customer_removed',
    'service_unavailable',
  ],
  handle: (deps, { caller, id, body }) => {
    const { documentHash, ...evidence } = body ?? {}
    return acceptTerms(deps, caller, { customerId: id, documentHash, evidence })
  },
  present: ({ customerId, termsAcceptedAt, contract }) => ({
    customerId,
    status: 'OnboardingComplete' as const,
    onboardingComplete: true,
    termsAcceptedAt: timestamp(termsAcceptedAt),
    contract: presentContract(contract),
    documents: {
      htmlUrlPath: `/partner-api/Customers/${customerId}/pci-contract-url-html`,
      pdfUrlPath: `/partner-api/Customers/${customerId}/pci-contract-url-pdf`,
    },
  }),
})
