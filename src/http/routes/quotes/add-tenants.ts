import Type from 'typebox'
import { maxTenants } from '../../../domain/quotes/quote.ts'
import { addTenants } from '../../../domain/tenants/add-tenants.ts'
import { route } from '../../route.ts'
import { presentQuoteFields, presentTenants, quoteFields, Tenants } from '../../wire/quote.ts'
import { Email, Name } from '../../wire/values.ts'

const TenantBody = Type.Object({ name: Name("The tenant's full name."), email: Email }, { additionalProperties: false })

export const addTenantsRoute = route({
  operationId: 'addTenants',
  method: 'POST',
  path: '/Quotes/{id}/add-tenants',
  tag: 'Quotes',
  summary: 'Add tenants to a quote',
  description: `A quote can have up to ${maxTenants} tenants. The first tenant added is the lead tenant, who sets the contract dates and is the primary contact. Returns all tenants of the quote.`,
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: Type.Object(
    {
      tenants: Type.Array(TenantBody, {
        minItems: 1,
        maxItems: 1_000,
        description: `The tenants to add. A quote can have ${maxTenants} in total; beyond that, the request fails with \`too_many_tenants\`.`,
      }),
    },
    { additionalProperties: false },
  ),
  reply: Type.Object({ ...quoteFields, tenants: Tenants }, { additionalProperties: false }),
  errors: [
    'validation_failed',
    'too_many_tenants',
    'duplicate_tenant',
    'quote_expired',
    'quote_locked',
    'quote_cancelled',
  ],
  handle: (services, { caller, id, body }) => addTenants(services, caller, { quoteId: id, tenants: body.tenants }),
  present: (quote) => ({ ...presentQuoteFields(quote), tenants: presentTenants(quote) }),
})
