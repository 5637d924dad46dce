import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HousebillClient, signUpSandboxHousehold, verifyWebhook } from '../../clients/typescript/src/entry.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })

function connect(): HousebillClient {
  return new HousebillClient({ baseUrl: service.baseUrl, ...service.credentials })
}

test('a sandbox household is signed up, and its messages are genuine', async (t) => {
  const receiver = await startReceiver(t)
  const client = connect()
  const { secret } = await client.createWebhook({
    url: `https://localhost:${receiver.port}/webhooks`,
    events: ['quote.status.changed'],
  })
  const { quoteId, customerIds } = await signUpSandboxHousehold(client, { tenants: 3, reference: 'flat-7' })
  const quote = await client.getQuote(quoteId)
  assert.deepEqual([quote.status, quote.reference, customerIds.length], ['completed', 'flat-7', 3])
  assert.equal(quote.leadTenantId, customerIds[0])

  const isCompleted = ({ data }: { data: Record<string, unknown> }) => data.status === 'completed'
  await waitFor('the message of the completed quote', () =>
    receiver.received.some(({ message }) => isCompleted(message)),
  )
  for (const { body, headers, message } of receiver.received) {
    const verified = await verifyWebhook(body, headers, ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', secret])
    assert.deepEqual(verified, message)
  }
})
