import {
  acceptTerms,
  addTenants,
  cancelQuote,
  createQuote,
  createSetupIntent,
  type EventList,
  finalisePersonalInformation,
  getQuoteTotalCost,
  issueToken,
  listEvents,
  lookupAddresses,
  sandboxConfirmSetupIntent,
} from '../generated/orval/partner-api.ts'
import { personalInformation, type Sandbox, type WalkResult } from './sandbox.ts'

/** Onboards a tenant with the client of orval. */
export async function walk({ clientId, clientSecret, postcode }: Sandbox): Promise<WalkResult> {
  // For an operation with two media types, orval leaves the Content-Type to the caller.
  const asJson = { headers: { 'Content-Type': 'application/json' } }
  const token = succeeded(await issueToken({ clientId, clientSecret }, asJson))
  const withToken = { headers: { Authorization: `Bearer ${token.access_token}` } }
  const addresses = succeeded(await lookupAddresses({ postcode }, withToken))
  const addressUid = addresses[0]?.addressUid ?? ''
  const { quoteId } = succeeded(await createQuote({ addressUid, packages: ['electricity', 'gas'] }, withToken))
  const tenants = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  const added = succeeded(await addTenants(quoteId, { tenants }, withToken))
  const cost = succeeded(await getQuoteTotalCost(quoteId, withToken))
  const tenantId = added.tenants[0]?.tenantId ?? ''
  succeeded(await finalisePersonalInformation(tenantId, personalInformation, withToken))
  const { setupIntentId } = succeeded(await createSetupIntent(tenantId, {}, withToken))
  succeeded(await sandboxConfirmSetupIntent(setupIntentId, { paymentMethod: 'pm_card_visa' }, withToken))
  const accepted = succeeded(await acceptTerms(tenantId, {}, withToken))
  const refused = await cancelQuote(quoteId, withToken)
  return {
    status: accepted.status,
    totalCost: cost.totalCost,
    refusal: refused.status === 422 ? refused.data.code : undefined,
    countCompleted: async () => completedQuotes(succeeded(await listEvents({ limit: 50 }, withToken))),
  }
}

/** The body of a successful response. */
function succeeded<Response extends { status: number; data: unknown }>(
  response: Response,
): Extract<Response, { status: 200 }>['data'] {
  if (response.status !== 200) throw new Error(JSON.stringify(response.data))
  return response.data as Extract<Response, { status: 200 }>['data']
}

/** The quotes that events report as completed: `type` tells the events apart. */
function completedQuotes({ data }: EventList): number {
  return data.filter((event) => (event.type === 'quote.status.changed' ? event.data.status === 'completed' : false))
    .length
}
