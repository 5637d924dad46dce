import { personalInformation, sampleTenants } from '../support/household.ts'
import type { PersistentPartner } from './persistent-partner.ts'

/** How a household's journey ends. Most are completed, some are cancelled, and some are locked, reopened and then completed. Of some, one tenant leaves. */
type Ending = 'completed' | 'cancelled'

export interface Journey {
  quoteId: string
  tenants: number
  ending: Ending
}

/** Makes all writes of a journey, each repeated until it is acknowledged. Every fifth request is sent as two simultaneous copies. */
export async function goThroughJourney(
  partner: PersistentPartner,
  addressUid: string,
  number: number,
): Promise<Journey> {
  const reference = `crash-${number}`
  let requests = 0
  const post = <Path extends string>(path: Path, body?: unknown) => {
    requests += 1
    return partner.post(`${reference}-${requests}`, path, body, (number + requests) % 5 === 0 ? 2 : 1)
  }
  const { quoteId } = await post('/Quotes', { addressUid, packages: ['electricity'], reference })
  const quote = `/Quotes/${quoteId}` as const
  const count = 1 + (number % 3)
  const { tenants } = await post(`${quote}/add-tenants`, { tenants: sampleTenants(count) })
  await post(`${quote}/update-packages`, { packageIds: ['electricity-standard', 'gas-standard'] })
  if (number % 4 === 3) {
    await post(`${quote}/cancel`)
    return { quoteId, tenants: count, ending: 'cancelled' }
  }
  const ids = tenants.map(({ tenantId }) => tenantId)
  const setUp = async (id: string): Promise<string> =>
    (await post(`/Customers/${id}/create-setup-intent`)).setupIntentId
  for (const id of ids) {
    const details = personalInformation({ email: `${id}@example.com` })
    await post(`/Customers/${id}/finalise-personal-information`, details)
  }
  if (number % 4 === 1) {
    for (const id of ids.slice(0, 1)) await setUp(id)
    await post(`${quote}/reopen`)
  }
  for (const id of ids) {
    const intent = await setUp(id)
    await post(`/Sandbox/setup-intents/${intent}/confirm`, { paymentMethod: 'pm_card_visa' })
    await post(`/Customers/${id}/accept-terms`)
  }
  if (number % 4 === 2) await post(`/Customers/${tenants[0]?.tenantId}/cancel-contract`)
  return { quoteId, tenants: count, ending: 'completed' }
}
