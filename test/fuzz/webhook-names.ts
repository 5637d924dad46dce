import type { Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'

/**
 * What a partner's webhook and what was sent to it go by. Made once and kept; looked for again where requests have deleted the
 * webhook: another one of the partner's, or a new one.
 */
export function webhookNames(partner: Partner, url: string): () => Promise<Record<string, string>> {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  let names: Promise<Record<string, string>> | undefined

  async function find(): Promise<Record<string, string>> {
    const [known] = succeeded(await partner.get('/Webhooks?limit=1')).data
    const webhook = { url, events: ['quote.status.changed'] }
    const { webhookId } = known ?? succeeded(await partner.post('/Webhooks', webhook))
    // One that is disabled, as the receiver wants no more, takes a replay only once it is enabled again.
    await partner.patch(`/Webhooks/${webhookId}`, { status: 'active' })
    const replay = await partner.post(`/Webhooks/${webhookId}/replay`, { since })
    const replayId = replay.status === 200 ? succeeded(replay).replayId : undefined
    const deliveries = await partner.get(`/Webhooks/${webhookId}/deliveries?limit=1`)
    const [delivery] = deliveries.status === 200 ? succeeded(deliveries).data : []
    const [event] = succeeded(await partner.get('/Events?limit=1')).data
    const found = { webhookId, replayId, deliveryId: delivery?.deliveryId, eventId: event?.id }
    return Object.fromEntries(Object.entries(found).filter((each): each is [string, string] => each[1] !== undefined))
  }

  return async () => {
    const { webhookId } = (await names) ?? {}
    if (webhookId === undefined || (await partner.get(`/Webhooks/${webhookId}`)).status !== 200) names = find()
    return { ...(await names), hourAgo: since }
  }
}
