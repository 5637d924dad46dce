import { reportConfirmationSentRoute } from '../../contracts/confirmation/report-confirmation-sent.route.ts'
import { resendMailsRoute } from '../../contracts/contracts.route.ts'
import { reportDeathRoute } from '../../contracts/deaths/report-death.route.ts'
import { answerTenancyEndRoute, endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import { contractUrlRoute, revokeLinksRoute } from '../../contracts/links/contract-url.route.ts'
import { createOnboardingLinkRoute } from '../../contracts/links/onboarding-links.route.ts'
import { listMailsRoute } from '../../contracts/mails/list-mails.route.ts'
import { listMeterReadingsRoute, reportMeterReadingRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import { updateOccupiersRoute } from '../../contracts/occupiers/occupiers.route.ts'
import {
  createReplacementRoute,
  withdrawReplacementRoute,
} from '../../contracts/replacements/create-replacement.route.ts'
import {
  cancelContractRoute,
  confirmEndReasonRoute,
  endContractRoute,
  keepContractRoute,
  moveStartRoute,
} from '../../contracts/termination/termination.route.ts'
import { auditedReadOf } from '../../onboarding/audited-reads.ts'
import { createSetupIntentRoute } from '../../onboarding/customer-payments.route.ts'
import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { finalisePersonalInformationRoute } from '../../onboarding/finalise-personal-information.route.ts'
import type { OperatorScope } from '../../partners/operators/operator-scopes.ts'
import type { Route } from '../../platform/http/route.ts'
import { updateQuoteRoute } from '../../quoting/quotes/write-quotes.route.ts'
import { addTenantsRoute, removeTenantsRoute } from '../../quoting/tenants/tenants.route.ts'
import { findCustomerOwner, findQuoteOwner } from '../http/find-owner.ts'
import { type OperatorRoute, servedRoute } from '../http/operator-route.ts'

/**
 * The partner operations that the operator can run for a customer or a household of any partner, whatever the partner's
 * status. Each runs as that partner's, with the operator as the actor of the audit log.
 */
const servedOperations: readonly { route: Route; scope: OperatorScope; andThen?: string }[] = [
  { route: cancelContractRoute, scope: 'support:write' },
  { route: endContractRoute, scope: 'support:write' },
  { route: endHouseholdRoute, scope: 'support:write' },
  { route: answerTenancyEndRoute, scope: 'support:write' },
  { route: reportDeathRoute, scope: 'support:write' },
  { route: keepContractRoute, scope: 'support:write' },
  { route: confirmEndReasonRoute, scope: 'support:write' },
  { route: moveStartRoute, scope: 'support:write' },
  { route: createReplacementRoute, scope: 'support:write' },
  { route: withdrawReplacementRoute, scope: 'support:write' },
  { route: updateCustomerRoute, scope: 'support:write' },
  {
    route: createSetupIntentRoute,
    scope: 'support:write',
    andThen:
      "Send the tenant a link to your card page, with the `clientSecret` in the fragment: `https://…/card#client_secret=…`. The page gives it to the payment processor's card form.",
  },
  { route: listMailsRoute, scope: 'support:read' },
  { route: resendMailsRoute, scope: 'support:write' },
  { route: revokeLinksRoute, scope: 'support:write' },
  { route: reportConfirmationSentRoute, scope: 'support:write' },
  // What a lead tenant can do for the household, which nobody else can once they were erased.
  { route: updateQuoteRoute, scope: 'support:write' },
  { route: updateOccupiersRoute, scope: 'support:write' },
  { route: addTenantsRoute, scope: 'support:write' },
  { route: removeTenantsRoute, scope: 'support:write' },
  { route: finalisePersonalInformationRoute, scope: 'support:write' },
  { route: createOnboardingLinkRoute, scope: 'support:write' },
  // As what is reported about the supply of a home, and where the feed shows it.
  { route: reportMeterReadingRoute, scope: 'contracts:write' },
  { route: listMeterReadingsRoute, scope: 'contracts:read' },
  // The same documents as GET /Contracts/{number}/documents.
  { route: contractUrlRoute('html'), scope: 'contracts:read' },
  { route: contractUrlRoute('pdf'), scope: 'contracts:read' },
]

export const serveCustomerRoutes: readonly OperatorRoute[] = servedOperations.map(({ route, scope, andThen }) => {
  const [name, findOwner] = route.path.startsWith('/Quotes/')
    ? (['quoteId', findQuoteOwner] as const)
    : (['customerId', findCustomerOwner] as const)
  return {
    ...servedRoute(route, { tag: 'Customers', scope, name, findOwner }),
    ...(andThen === undefined ? {} : { description: [route.description, andThen].join(' ') }),
    shows: auditedReadOf(route),
  }
})
