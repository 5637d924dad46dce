import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventTypes } from '../../src/events/event.ts'
import { sendTestEvent } from '../../src/webhooks/messages/send-test-event.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf, urlOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

test('test events of every type arrive signed, marked as a test and shaped like real ones', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  const { webhookId, secret } = await lab.register({ url: urlOf(receiver), events: ['quote.status.changed'] })
  lab.startWorker({ requireVerification: true })
  await waitFor('it is verified', async () => {
    const [row] = await lab.rows('select verification from webhooks where webhook_id = $1', [webhookId])
    return row?.verification === 'verified'
  })
  await lab.happen(statusChanges(1))
  for (const type of eventTypes) {
    const { deliveryId, messageId } = await sendTestEvent(dependenciesOf(lab), lab.caller, webhookId, { type })
    const arrived = () => receiver.received.find(({ message }) => message.id === messageId)
    await waitFor(`${type} arrives`, arrived)
    const { body, headers, message } = arrived() ?? assert.fail()
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), message)
    assert.equal(headers['webhook-id'], messageId)
    assert.deepEqual(Object.keys(message), ['id', 'type', 'timestamp', 'data', 'test'])
    assert.deepEqual([message.type, (message as unknown as { test: unknown }).test], [type, true])
    assert.equal(message.data.quoteId, 'quote_00000000000000000000000000')
    assert.equal(message.data.reference, 'test-event')
    await waitFor(
      'the delivery is recorded',
      async () =>
        (await lab.rows(`select from deliveries where delivery_id = $1 and status = 'delivered'`, [deliveryId]))
          .length === 1,
    )
  }
  await waitFor('the real event arrives', () => receiver.events().length === eventTypes.length + 1)
  const real = receiver.events().find(({ message }) => !('test' in message))
  assert.deepEqual(Object.keys(real?.message ?? {}), ['id', 'type', 'timestamp', 'data'])
})
