import type { OperatorScope } from '../../../domain/operators/operator-scopes.ts'
import { findCustomerOwner } from '../../../domain/support/find-customer-owner.ts'
import type { Route } from '../../route.ts'
import { cancelContractRoute } from '../../routes/customers/cancel-contract.ts'
import { contractUrlRoute } from '../../routes/customers/contract-url-route.ts'
import { createReplacementRoute } from '../../routes/customers/create-replacement.ts'
import { createSetupIntentRoute } from '../../routes/customers/create-setup-intent.ts'
import { endContractRoute } from '../../routes/customers/end-contract.ts'
import { reportConfirmationSentRoute } from '../../routes/customers/report-confirmation-sent.ts'
import { revokeLinksRoute } from '../../routes/customers/revoke-links.ts'
import { updateCustomerRoute } from '../../routes/customers/update.ts'
import { withdrawReplacementRoute } from '../../routes/customers/withdraw-replacement.ts'
import { shownByOperation } from '../../shown-data.ts'
import type { OperatorRoute } from '../operator-route.ts'
import { resendMailsRoute } from './resend-mails.ts'

/**
 * The partner operations that the operator can run for a customer of any partner, whatever the partner's status. Each runs as that partner's, with
 * the operator as the actor of the audit log.
 */
const servedOperations: readonly { route: Route; scope: OperatorScope; andThen?: string }[] = [
  { route: cancelContractRoute, scope: 'support:write' },
  { route: endContractRoute, scope: 'support:write' },
  { route: createReplacementRoute, scope: 'support:write' },
  { route: withdrawReplacementRoute, scope: 'support:write' },
  { route: updateCustomerRoute, scope: 'support:write' },
  {
    route: createSetupIntentRoute,
    scope: 'support:write',
    andThen:
      "Send the tenant a link to your card page, with the `clientSecret` in the fragment: `https://…/card#client_secret=…`. The page gives it to the payment processor's card form.",
  },
  { route: resendMailsRoute, scope: 'support:write' },
  { route: revokeLinksRoute, scope: 'support:write' },
  { route: reportConfirmationSentRoute, scope: 'support:write' },
  // The same documents as GET /Contracts/{number}/documents.
  { route: contractUrlRoute('html'), scope: 'contracts:read' },
  { route: contractUrlRoute('pdf'), scope: 'contracts:read' },
]

export const serveCustomerRoutes: readonly OperatorRoute[] = servedOperations.map(({ route, scope, andThen }) => ({
  ...route,
  ...(andThen === undefined ? {} : { description: [route.description, andThen].join(' ') }),
  path: route.path.replace('{id}', '{customerId}'),
  tag: 'Customers',
  scope,
  shows: shownByOperation(route),
  run: {
    owner: (services, parameter) => findCustomerOwner(services, parameter('customerId')),
    changes: (services, caller, { parameter, query, body, isHead }) =>
      route.handle(services, {
        caller,
        scopes: [route.scope],
        id: parameter('customerId'),
        parameter,
        query,
        body,
        isHead,
      }),
  },
}))
