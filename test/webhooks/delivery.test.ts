import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noLabels } from '../../src/events/event.ts'
import { waitFor } from '../support/wait-for.ts'
import type { ReceivedMessage } from './receiver-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

const steps = (received: readonly ReceivedMessage[]) => received.map(({ message }) => message.data.reference)

test('each event is sent to exactly those webhooks of its partner that subscribe to it', async (t) => {
  const lab = await openLab(t)
  const [all, customersOnly, foreign] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const stranger = await lab.newPartner()
  await lab.register({ url: `https://receiver.test:${all.port}/` })
  await lab.register({ url: `https://receiver.test:${customersOnly.port}/`, events: ['customer.payment.updated'] })
  await lab.register({ url: `https://receiver.test:${foreign.port}/` }, stranger)
  lab.startWorker()
  const ids = { customerId: 'tenant_1', quoteId: 'quote_1', ...noLabels } as const
  await lab.happen([
    {
      type: 'quote.status.changed',
      data: { quoteId: 'quote_1', ...noLabels, previousStatus: 'draft', status: 'active', reason: null },
    },
    {
      type: 'customer.payment.updated',
      data: { ...ids, previousPaymentStatus: 'not_started', paymentStatus: 'ready' },
    },
    {
      type: 'customer.status.changed',
      data: { ...ids, previousStatus: 'active', status: 'PersonalInfoComplete', reason: null },
    },
  ])
  await lab.happen(statusChanges(1), stranger)
  await waitFor(
    'all arrive',
    () => all.events().length === 3 && customersOnly.events().length === 1 && foreign.events().length === 1,
  )
  assert.deepEqual(
    all.events().map(({ message }) => message.type),
    ['quote.status.changed', 'customer.payment.updated', 'customer.status.changed'],
  )
  const [payment] = customersOnly.events()
  assert.equal(payment?.message.type, 'customer.payment.updated')
  assert.equal(payment?.message.id, all.events()[1]?.message.id)
  assert.notEqual(payment?.headers['webhook-signature'], all.events()[1]?.headers['webhook-signature'])
})

test('an event that happened before a webhook was registered is not sent to that webhook', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.happen(statusChanges(1, 'quote_before'))
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.happen(statusChanges(1, 'quote_after'))
  lab.startWorker()
  await waitFor('the later event arrives', () => receiver.events().length > 0)
  assert.deepEqual(
    receiver.events().map(({ message }) => message.data.quoteId),
    ['quote_after'],
  )
  assert.deepEqual(await lab.rows('select from events where dispatched_at is null'), [])
})

test('first attempts for one quote are sent in order, each after the previous one has ended', async (t) => {
  const lab = await openLab(t)
  let open = 0
  let mostOpen = 0
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response) => {
      open += 1
      mostOpen = Math.max(mostOpen, open)
      setTimeout(() => {
        open -= 1
        response.end()
      }, 25)
    }),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  // Two workers run. Neither may dispatch or send an event before an earlier event that the other is handling.
  lab.startWorker({ limits: { dispatchBatch: 3 } })
  lab.startWorker({ limits: { dispatchBatch: 3 } })
  await lab.happen(statusChanges(12))
  await waitFor('all arrive', () => receiver.events().length === 12)
  assert.deepEqual(
    steps(receiver.events()),
    Array.from({ length: 12 }, (_, index) => `step ${index}`),
  )
  assert.equal(mostOpen, 1)
})
