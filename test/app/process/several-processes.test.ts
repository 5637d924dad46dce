import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner, partnerWithToken } from '../../support/client.ts'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { finalise, startHousehold, startPaymentSetup } from '../../support/household.ts'
import { succeeded } from '../../support/responses.ts'
import { startSecondService, startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startReceiver } from '../../webhooks/receiver-fixture.ts'

/* Two ordinary services on one database, as behind a load balancer. */

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const beside = await startSecondService(service)
after(async () => {
  await beside.stop()
  await service.stop()
})

test('events of quotes that two processes change arrive once and in order', async (t) => {
  const here = await connectPartner(service.baseUrl, service.credentials)
  const there = partnerWithToken(beside.baseUrl, here.token)
  const receiver = await startReceiver(t)
  const types = ['quote.status.changed', 'customer.status.changed']
  succeeded(await here.post('/Webhooks', { url: `https://localhost:${receiver.port}/hook`, events: types }))
  const households = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const [one, other] = index % 2 === 0 ? [here, there] : [there, here]
      const { quoteId, lead } = await startHousehold(one, { tenants: 2 })
      await finalise(other, lead)
      await startPaymentSetup(one, lead)
      succeeded(await other.post(`/Quotes/${quoteId}/reopen`))
      succeeded(await one.post(`/Quotes/${quoteId}/cancel`))
      return quoteId
    }),
  )
  const expected = await query(
    service.connectionString,
    `select event_id, quote_id from events where type in ('${types.join(`', '`)}') order by event_number`,
  )
  await waitFor('every event has arrived', () => receiver.events().length >= expected.length)
  const arrived = receiver.events().map(({ message }) => ({ event_id: message.id, quote_id: message.data.quoteId }))
  const byQuote = (events: typeof expected) =>
    households.map((quote) => events.filter(({ quote_id }) => quote_id === quote).map(({ event_id }) => event_id))
  assert.deepEqual(byQuote(arrived), byQuote(expected))
  assert.ok(expected.length >= 4 * households.length)
  assert.equal(arrived.length, expected.length)
})
