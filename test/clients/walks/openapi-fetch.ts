import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript/schema.d.ts'
import { personalInformation, type Sandbox, type WalkResult } from './sandbox.ts'

type Events = components['schemas']['EventList']

/** Onboards a tenant with the client of openapi-typescript and openapi-fetch. */
export async function walk({ baseUrl, clientId, clientSecret, postcode }: Sandbox): Promise<WalkResult> {
  const client = createClient<paths>({ baseUrl })
  const token = await client.POST('/partner-api/Auth/token', { body: { clientId, clientSecret } })
  if (token.data === undefined) throw new Error(token.error.error_description)
  client.use({
    onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${token.data.access_token}`),
  })
  const addresses = await client.GET('/partner-api/Addresses/lookup', { params: { query: { postcode } } })
  const addressUid = addresses.data?.[0]?.addressUid ?? ''
  const quote = await client.POST('/partner-api/Quotes', { body: { addressUid, packages: ['electricity', 'gas'] } })
  if (quote.data === undefined) throw new Error(quote.error.detail)
  const path = { id: quote.data.quoteId }
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  const added = await client.POST('/partner-api/Quotes/{id}/add-tenants', { params: { path }, body: { tenants } })
  const cost = await client.GET('/partner-api/Quotes/{id}/total-cost', { params: { path } })
  const ofTenant = { path: { id: added.data?.tenants[0]?.tenantId ?? '' } }
  await client.POST('/partner-api/Customers/{id}/finalise-personal-information', {
    params: ofTenant,
    body: personalInformation,
  })
  const intent = await client.POST('/partner-api/Customers/{id}/create-setup-intent', { params: ofTenant })
  await client.POST('/partner-api/Sandbox/setup-intents/{id}/confirm', {
    params: { path: { id: intent.data?.setupIntentId ?? '' } },
    body: { paymentMethod: 'pm_card_visa' },
  })
  const accepted = await client.POST('/partner-api/Customers/{id}/accept-terms', { params: ofTenant })
  const rejected = await client.POST('/partner-api/Quotes/{id}/cancel', { params: { path } })
  return {
    status: accepted.data?.status,
    totalCost: cost.data?.totalCost,
    rejection: rejected.error?.code,
    countCompleted: async () => {
      const events = await client.GET('/partner-api/Events', { params: { query: { limit: 50 } } })
      return completedQuotes(events.data)
    },
  }
}

/** The quotes that events report as completed: `type` tells the events apart. */
function completedQuotes(events: Events | undefined): number {
  return (events?.data ?? []).filter((event) =>
    event.type === 'quote.status.changed' ? event.data.status === 'completed' : false,
  ).length
}
