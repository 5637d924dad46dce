import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { connectPartner } from '../support/client.ts'
import { createCancelledQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from './receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const pool = new Pool({ connectionString: service.connectionString, max: 2 })
after(async () => {
  await pool.end()
  await service.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

test('the API keeps working while the delivery tables are locked, because it does not use them', async (t) => {
  const receiver = await startReceiver(t)
  const url = `https://localhost:${receiver.port}/`
  succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await waitFor('it is verified', () => receiver.received.length === 1)
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('lock table delivery_queue, delivery_history in access exclusive mode')
    const { quoteId } = await createCancelledQuote(partner)
    assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'cancelled')
    assert.ok(succeeded(await partner.get('/Quotes')).data.length > 0)
    await client.query('commit')
  } finally {
    client.release()
  }
  await waitFor('its events arrive', () => receiver.events().length >= 4)
})
