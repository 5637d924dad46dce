import Type from 'typebox'
import { addTenants } from '../../../domain/tenants/add-tenants.ts'
import { route } from '../../route.ts'
import { presentQuoteFields, presentTenants, quoteFields, Tenants } from '../../wire/quote.ts'
import { Email, Name } from '../../wire/values.ts'

const TenantBody = Type.Object({ name: Name('full name'), email: Email }, { additionalProperties: false })

export const addTenantsRoute = route({
  operationId: 'addTenants',
  method: 'POST',
  path: '/Quotes/{id}/add-tenants',
  tag: 'Quotes',
  summary: 'Add tenants to a quote',
  description:
    'Up to 12 tenants a quote. The first one added leads: sets the contract dates and is the primary contact. The answer lists all tenants.',
  idDescription: 'quoteId',
  scope: 'quotes:write',
  body: Type.Object(
    {
      tenants: Type.Array(TenantBody, {
        minItems: 1,
        maxItems: 1_000,
        description: 'with those there already 12 at most; more are too_many_tenants',
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
