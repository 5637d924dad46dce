import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { createOnboardingLink, revokeOnboardingLinks } from './onboarding-links.ts'

export const createOnboardingLinkRoute = route({
  operationId: 'createOnboardingLink',
  method: 'POST',
  path: '/Customers/{id}/onboarding-links',
  tag: 'Customers',
  summary: "Create a link to the tenant's pages",
  description:
    'On these pages the tenant gives their details, adds a card, agrees to the contract and, afterwards, manages it. Send the link to this tenant only. If the quote has `sendEmails` and the tenant a `contactPermission`, we send it too. Earlier links of this tenant end, and so does what they have open.',
  idDescription: 'customerId',
  scope: 'customers:onboard',
  reply: ResponseObject('OnboardingLink', "A link to a tenant's pages.", {
    customerId: Id('The id of the customer.'),
    url: Type.String({
      format: 'uri',
      maxLength: 2_048,
      description: 'The link. Whoever has it can open the pages, so keep it out of logs.',
    }),
    expiresAt: Timestamp(
      'When the link stops working: after 30 days, but at most 30 days after the last day of the contract.',
    ),
  }),
  errors: ['quote_cancelled', 'contract_not_in_force', 'customer_erased', 'customer_removed'],
  handle: (deps, { caller, id }) => createOnboardingLink(deps, caller, id),
  present: ({ expiresAt, ...link }) => ({ ...link, expiresAt: timestamp(expiresAt) }),
})

export const revokeOnboardingLinksRoute = route({
  operationId: 'revokeOnboardingLinks',
  method: 'POST',
  path: '/Customers/{id}/onboarding-links/revoke',
  tag: 'Customers',
  summary: "Revoke the links to the tenant's pages",
  description: 'Every link that was made until now stops working at once, and so does what the tenant has open.',
  idDescription: 'customerId',
  scope: 'customers:onboard',
  reply: ResponseObject('RevokedOnboardingLinks', 'Links that no longer work.', {
    customerId: Id('The id of the customer.'),
    revokedAt: Timestamp('Links that were made until then open nothing.'),
  }),
  handle: (deps, { caller, id }) => revokeOnboardingLinks(deps, caller, id),
  present: ({ customerId, revokedAt }) => ({ customerId, revokedAt: timestamp(revokedAt) }),
})
