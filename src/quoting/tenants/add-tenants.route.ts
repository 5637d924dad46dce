import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { documentedAs, RequestObject } from '../../platform/http/schemas/named.ts'
import { maxTenants } from '../../platform/kernel/limits.ts'
import { presentPriced } from '../pricing/cost.schema.ts'
import { presentQuoteFields, presentTenants, QuoteTenants } from '../quotes/quote.schema.ts'
import { addTenants } from './add-tenants.ts'
import { newTenantFields } from './personal-details.schema.ts'

const NewTenant = RequestObject('NewTenant', 'A tenant to add.', newTenantFields)

const tooMany = `A quote can have ${maxTenants} in total; beyond that, the request fails with \`too_many_tenants\`.`

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
    tenants: documentedAs(
      Type.Array(NewTenant, { minItems: 1, maxItems: 1_000 }),
      Type.Array(NewTenant, { minItems: 1, maxItems: maxTenants, description: `The tenants to add. ${tooMany}` }),
    ),
  }),
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
