import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { DomainError } from '../../src/domain/kernel/errors.ts'
import type { PaymentProcessor, ProcessorNotice } from '../../src/domain/payments/payment-processor.ts'
import {
  type Delivery,
  openIntent,
  openTestDatabase,
  startReceiver,
  startSimulator,
  until,
} from '../adapters/payment-simulator-fixture.ts'

describe('webhooks of the payment processor simulator', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  const statuses = (processor: PaymentProcessor, deliveries: readonly Delivery[]) =>
    deliveries
      .map(({ body, signature }): ProcessorNotice => processor.readNotice(body, signature))
      .flatMap((notice) => (notice.kind === 'setup-intent' ? [notice.intent.status] : []))

  test('every change is told, in order, with a signature the adapter accepts and without a client secret', async (t) => {
    const receiver = await startReceiver(t)
    const { processor, confirmation } = await startSimulator(t, db, receiver.url)
    const opened = await openIntent(processor)
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_chargeDeclined')
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_authenticationRequired')
    await processor.cancelSetupIntent(opened.setupIntentId)
    await receiver.arrived(4)
    assert.deepEqual(statuses(processor, receiver.deliveries), [
      'requires_payment_method',
      'requires_action',
      'canceled',
    ])

    const [created, failed] = receiver.deliveries.map(({ body, signature }) => processor.readNotice(body, signature))
    assert.equal(created?.kind === 'other' ? created.type : '', 'setup_intent.created')
    assert.ok(failed?.kind === 'setup-intent')
    const { setupIntentId, processorCustomerId } = opened
    assert.deepEqual(failed.intent, {
      setupIntentId,
      processorCustomerId,
      status: 'requires_payment_method',
      lastAttemptFailed: true,
    })
    assert.ok(Math.abs(failed.occurredAt.getTime() - Date.now()) < 10_000)
    for (const { body } of receiver.deliveries)
      assert.ok(!body.includes('_secret_') && !body.includes('4000000000000002'))
  })

  test('a delivery altered on its way is refused', async (t) => {
    const receiver = await startReceiver(t)
    const { processor } = await startSimulator(t, db, receiver.url)
    await openIntent(processor)
    await receiver.arrived(1)
    const [delivery] = receiver.deliveries
    assert.ok(delivery)
    const altered = Buffer.from(delivery.body.toString().replace('requires_payment_method', 'succeeded'))
    assert.throws(
      () => processor.readNotice(altered, delivery.signature),
      (error) => error instanceof DomainError && error.code === 'invalid_request',
    )
  })

  test('a replayed call tells nothing a second time', async (t) => {
    const receiver = await startReceiver(t)
    const { processor } = await startSimulator(t, db, receiver.url)
    const { processorCustomerId } = await openIntent(processor)
    const again = {
      processorCustomerId,
      customerId: 'tenant_r',
      quoteId: 'quote_1',
      partnerId: 'partner_1',
      idempotencyKey: `r-${Date.now()}`,
    }
    await processor.createSetupIntent(again)
    await processor.createSetupIntent(again)
    await processor.cancelSetupIntent((await processor.createSetupIntent(again)).setupIntentId)
    await until(() => statuses(processor, receiver.deliveries).includes('canceled'))
    assert.equal(receiver.deliveries.length, 3)
  })

  test('a receiver that fails at first is tried again, with the same event', async (t) => {
    const receiver = await startReceiver(t, (_delivery, count) => (count === 1 ? 500 : 200))
    const { processor, logged } = await startSimulator(t, db, receiver.url)
    await openIntent(processor)
    await receiver.arrived(2)
    const [first, second] = receiver.deliveries
    assert.deepEqual(second?.body, first?.body)
    assert.match(logged.join(''), /could not deliver a webhook/)
  })

  test('duplicates, delay, reversal and loss can be asked for', async (t) => {
    const receiver = await startReceiver(t)
    const { processor, confirmation, setWebhookMode } = await startSimulator(t, db, receiver.url)
    const run = async () => {
      receiver.deliveries.length = 0
      const { setupIntentId } = await openIntent(processor)
      await confirmation.confirmSetupIntent(setupIntentId, 'pm_card_authenticationRequired')
      await confirmation.confirmSetupIntent(setupIntentId, 'pm_card_visa')
    }
    assert.equal((await setWebhookMode({ copies: 2 })).status, 200)
    await run()
    await receiver.arrived(6)
    assert.deepEqual(statuses(processor, receiver.deliveries), [
      'requires_action',
      'requires_action',
      'succeeded',
      'succeeded',
    ])

    await setWebhookMode({ order: 'reversed' })
    await run()
    assert.equal(receiver.deliveries.length, 0)
    await receiver.arrived(3)
    assert.deepEqual(statuses(processor, receiver.deliveries), ['succeeded', 'requires_action'])

    await setWebhookMode({ delayMs: 150 })
    const began = performance.now()
    await run()
    await receiver.arrived(3)
    assert.ok(performance.now() - began >= 150)

    await setWebhookMode({ lost: true })
    await run()
    await setWebhookMode({})
    const { setupIntentId } = await openIntent(processor)
    await receiver.arrived(1)
    assert.ok(receiver.deliveries[0]?.body.includes(setupIntentId))
  })

  test('closing gives up what waits, so that no delivery keeps a process alive', { timeout: 10_000 }, async (t) => {
    const sender = JSON.stringify(
      new URL('../../src/simulators/payment-processor/webhook-sender.ts', import.meta.url).href,
    )
    const receiver = await startReceiver(t, () => 500)
    // One event waits for its repetition and one for its delay when the sender is stopped.
    const program = `
      import { pino } from 'pino'
      const { createWebhookSender } = await import(${sender})
      const log = pino({}, { write: (line) => { if (line.includes('will try again')) setImmediate(() => sender.stop()) } })
      const sender = createWebhookSender({ url: ${JSON.stringify(receiver.url)}, secret: 's', log })
      sender.send({ id: 'evt_1', type: 'setup_intent.created', body: '{}' })
      sender.setMode({ delayMs: 60000, copies: 1, order: 'sent', lost: false })
      sender.send({ id: 'evt_2', type: 'setup_intent.created', body: '{}' })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: new URL('../../', import.meta.url),
    })
    t.after(() => child.kill('SIGKILL'))
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.equal(receiver.deliveries.length, 1)
  })
})
