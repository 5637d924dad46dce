import type { Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'

/**
 * Returns a function that finds the ids of a partner's webhook and its deliveries. The webhook is created once; if
 * requests have deleted it, another webhook of the partner is used or a new one is created.
 */
export function webhookPlaceholders(partner: Partner, url: string): () => Promise<Record<string, string>> {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  let values: Promise<Record<string, string>> | undefined

  async function find(): Promise<Record<string, string>> {
    const [known] = succeeded(await partner.get('/Webhooks?limit=1')).data
    const webhook = { url, events: ['quote.status.changed'] }
    const { webhookId } = known ?? succeeded(await partner.post('/Webhooks', webhook))
    // The receiver's 410 disables the webhook, and a replay needs it enabled.
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
    const { webhookId } = (await values) ?? {}
    if (webhookId === undefined || (await partner.get(`/Webhooks/${webhookId}`)).status !== 200) values = find()
    return { ...(await values), hourAgo: since }
  }
}
