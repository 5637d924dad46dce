import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { IdList } from '../../platform/http/schemas/values.ts'
import { presentPriced } from '../pricing/cost.schema.ts'
import { maxTenants } from '../quote-limits.ts'
import { presentQuoteFields, presentTenants, QuoteTenants } from '../quotes/quote.schema.ts'
import { addTenants } from './add-tenants.ts'
import { NewTenants, tenantsErrors } from './personal-details.schema.ts'
import { removeTenants } from './remove-tenants.ts'

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
  refine: (body, { now }) => tenantsErrors(body, now),
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
    ...presentQuoteFields(quote, at),
    tenants: presentTenants(quote),
    ...presentPriced(quote, at),
  }),
})

export const removeTenantsRoute = route({
  operationId: 'removeTenants',
  method: 'POST',
  path: '/Quotes/{id}/remove-tenants',
  tag: 'Quotes',
  summary: 'Remove tenants from a quote',
  description:
    'Only possible while the quote is open. If you remove the lead tenant, the tenant who joined next becomes the lead. Returns the remaining tenants.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: RequestObject('RemoveTenantsRequest', 'The tenants to remove.', {
    tenantIds: IdList('Ids of tenants of this quote.', maxTenants),
  }),
  reply: QuoteTenants,
  errors: ['validation_failed', 'quote_locked', 'quote_cancelled'],
  handle: (deps, { caller, id, body }) => removeTenants(deps, caller, { quoteId: id, tenantIds: body.tenantIds }),
  present: (quote, at) => ({
    ...presentQuoteFields(quote, at),
    tenants: presentTenants(quote),
    ...presentPriced(quote, at),
  }),
})
