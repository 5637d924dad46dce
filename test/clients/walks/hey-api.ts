import { client } from '../generated/hey-api/client.gen.ts'
import {
  acceptTerms,
  addTenants,
  cancelQuote,
  createQuote,
  createSetupIntent,
  finalisePersonalInformation,
  getQuoteTotalCost,
  issueToken,
  listEvents,
  lookupAddresses,
  sandboxConfirmSetupIntent,
} from '../generated/hey-api/sdk.gen.ts'
import type { EventList } from '../generated/hey-api/types.gen.ts'
import { personalInformation, type Sandbox, type WalkResult } from './sandbox.ts'

/** Onboards a tenant with the client of hey-api. */
export async function walk({ baseUrl, clientId, clientSecret, postcode }: Sandbox): Promise<WalkResult> {
  client.setConfig({ baseUrl })
  const token = await issueToken({ body: { clientId, clientSecret }, throwOnError: true })
  client.setConfig({ baseUrl, auth: () => token.data.access_token })
  const addresses = await lookupAddresses({ query: { postcode }, throwOnError: true })
  const addressUid = addresses.data[0]?.addressUid ?? ''
  const quote = await createQuote({ body: { addressUid, packages: ['electricity', 'gas'] }, throwOnError: true })
  const path = { id: quote.data.quoteId }
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  const added = await addTenants({ path, body: { tenants }, throwOnError: true })
  const cost = await getQuoteTotalCost({ path, throwOnError: true })
  const ofTenant = { id: added.data.tenants[0]?.tenantId ?? '' }
  await finalisePersonalInformation({
    path: ofTenant,
    body: personalInformation,
    throwOnError: true,
  })
  const intent = await createSetupIntent({ path: ofTenant, throwOnError: true })
  await sandboxConfirmSetupIntent({
    path: { id: intent.data.setupIntentId },
    body: { paymentMethod: 'pm_card_visa' },
    throwOnError: true,
  })
  const accepted = await acceptTerms({ path: ofTenant, throwOnError: true })
  const rejected = await cancelQuote({ path })
  return {
    status: accepted.data.status,
    totalCost: cost.data.totalCost,
    rejection: rejected.error?.code,
    countCompleted: async () => completedQuotes((await listEvents({ query: { limit: 50 }, throwOnError: true })).data),
  }
}

/** The quotes that events report as completed: `type` tells the events apart. */
function completedQuotes({ data }: EventList): number {
  return data.filter((event) => (event.type === 'quote.status.changed' ? event.data.status === 'completed' : false))
    .length
}
