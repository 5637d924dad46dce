import { test } from 'node:test'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const partner = await connectPartner(service.baseUrl, service.credentials)
const since = new Date(Date.now() - 3_600_000).toISOString()

async function startReplay(own: Partner): Promise<{ webhookId: string; replayId: string }> {
  const url = 'https://127.0.0.1:9/hook'
  const { webhookId } = succeeded(await own.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  return succeeded(await own.post(`/Webhooks/${webhookId}/replay`, { since }))
}
const read = (replayId: string) => partner.get(`/Replays/${replayId}`)

test('a replay is stopped when its webhook is disabled, and deleted when its webhook is deleted', async () => {
  const { webhookId, replayId } = await startReplay(partner)
  succeeded(await partner.patch(`/Webhooks/${webhookId}`, { status: 'disabled' }))
  await waitFor(
    'the replay has ended',
    async () => succeeded(await read(replayId)),
    ({ status }) => status !== 'running',
  )
  succeeded(await partner.delete(`/Webhooks/${webhookId}`))
  rejected(await read(replayId), 404, 'not_found')
})

test('a replay that ended 30 days ago is deleted when the next one starts', async () => {
  const { webhookId, replayId } = await startReplay(partner)
  await waitFor(
    'the replay is completed',
    async () => succeeded(await read(replayId)),
    ({ status }) => status === 'completed',
  )
  await rawRows(service, `update replays set finished_at = now() - interval '31 days' where replay_id = $1`, [replayId])
  succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since }))
  rejected(await read(replayId), 404, 'not_found')
})
