import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { presentPriced } from '../pricing/cost.schema.ts'
import { maxTenants } from '../quote-limits.ts'
import { presentQuoteFields, presentTenants, QuoteTenants } from '../quotes/quote.schema.ts'
import { addTenants } from './add-tenants.ts'
import { NewTenants, tenantsPermissionErrors } from './personal-details.schema.ts'

export const addTenantsRoute = route({
  operationId: 'addTenants',
  method: 'POST',
  path: '/Quotes/{id}/add-tenants',
  tag: 'Quotes',
  summary: 'Add tenants to a quote',
  description: `A quote can have up to ${maxTenants} tenants. The first tenant added is the lead tenant, who sets the contract dates and is the primary contact. Returns all tenants of the quote.`,
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('AddTenantsRequest', 'The tenants to add.', {
    tenants: NewTenants('The tenants to add.'),
  }),
  refine: (body, { now }) => tenantsPermissionErrors(body, now),
  reply: QuoteTenants,
  errors: [
    'validation_failed',
    'too_many_tenants',
    'duplicate_tenant',
    'quote_expired',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (deps, { caller, id, body }) => addTenants(deps, caller, { quoteId: id, tenants: body.tenants }),
  present: (quote, at) => ({
    ...presentQuoteFields(quote),
    tenants: presentTenants(quote),
    ...presentPriced(quote, at),
  }),
})
