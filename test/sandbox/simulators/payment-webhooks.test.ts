import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PaymentProcessor, ProcessorNotice } from '../../../src/payments/payment-processor.ts'
import { defaultProcessorBehaviour } from '../../../src/payments/sandbox-processor.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import { DomainError } from '../../../src/platform/kernel/errors.ts'
import { publishableKeyOf } from '../../../src/sandbox/simulators/payment-processor/protocol/credentials.ts'
import {
  callSimulator,
  type Delivery,
  inventTenant,
  openIntent,
  openTestDatabase,
  secretKey,
  startReceiver,
  startSimulator,
} from '../../payments/payment-simulator-fixture.ts'
import { waitFor } from '../../support/wait-for.ts'

describe('webhooks of the payment processor simulator', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  const read = (processor: PaymentProcessor, deliveries: readonly Delivery[]): Promise<ProcessorNotice[]> =>
    Promise.all(deliveries.map(({ body, signature }) => processor.readNotice(body, signature)))
  const statuses = async (processor: PaymentProcessor, deliveries: readonly Delivery[]) =>
    (await read(processor, deliveries)).flatMap((notice) =>
      notice.kind === 'setup-intent' ? [notice.intent.status] : [],
    )

  test('every change is sent in order, with a signature that the adapter accepts and without a client secret', async (t) => {
    const receiver = await startReceiver(t)
    const { processor, confirmation } = await startSimulator(t, db, receiver.url)
    const opened = await openIntent(processor)
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_chargeDeclined')
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_authenticationRequired')
    await processor.cancelSetupIntent(opened.setupIntentId)
    await receiver.arrived(4)
    assert.deepEqual(await statuses(processor, receiver.deliveries), [
      'requires_payment_method',
      'requires_action',
      'canceled',
    ])

    const [created, failed] = await read(processor, receiver.deliveries)
    assert.equal(created?.kind === 'other' ? created.type : '', 'setup_intent.created')
    assert.ok(failed?.kind === 'setup-intent')
    const { setupIntentId, processorCustomerId } = opened
    const { latestAttempt } = failed.intent
    assert.match(latestAttempt ?? '', /^setatt_/)
    assert.deepEqual(failed.intent, {
      setupIntentId,
      processorCustomerId,
      status: 'requires_payment_method',
      lastAttemptFailed: true,
      error: 'card_declined',
      latestAttempt,
    })
    assert.ok(Math.abs(failed.occurredAt.getTime() - Date.now()) < 600_000)
    for (const { body } of receiver.deliveries)
      assert.ok(!body.includes('_secret_') && !body.includes('4000000000000002'))
  })

  test('a delivery altered in transit is rejected', async (t) => {
    const receiver = await startReceiver(t)
    const { processor } = await startSimulator(t, db, receiver.url)
    await openIntent(processor)
    await receiver.arrived(1)
    const [delivery] = receiver.deliveries
    assert.ok(delivery)
    const altered = Buffer.from(delivery.body.toString().replace('requires_payment_method', 'succeeded'))
    await assert.rejects(
      processor.readNotice(altered, delivery.signature),
      (error) => error instanceof DomainError && error.code === 'invalid_request',
    )
  })

  test('repeating a call with the same idempotency key sends no second event', async (t) => {
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
    await waitFor('the last event arrives', async () =>
      (await statuses(processor, receiver.deliveries)).includes('canceled'),
    )
    assert.equal(receiver.deliveries.length, 3)
  })

  test('a receiver that fails at first is sent the same event again', async (t) => {
    const receiver = await startReceiver(t, (_delivery, count) => (count === 1 ? 500 : 200))
    const { processor, logged } = await startSimulator(t, db, receiver.url)
    await openIntent(processor)
    await receiver.arrived(2)
    const [first, second] = receiver.deliveries
    assert.deepEqual(second?.body, first?.body)
    assert.match(logged.join(''), /webhook delivery failed; retrying/)
  })

  test('webhooks can be delayed and lost on request', async (t) => {
    const receiver = await startReceiver(t)
    const { processor, confirmation, steer } = await startSimulator(t, db, receiver.url)
    const run = async () => {
      receiver.deliveries.length = 0
      const { setupIntentId } = await openIntent(processor)
      await confirmation.confirmSetupIntent(setupIntentId, 'pm_card_authenticationRequired')
      await confirmation.confirmSetupIntent(setupIntentId, 'pm_card_visa')
    }
    await steer({ delaySeconds: 600 })
    await run()
    await assertNothingDueThenAdvance(600)
    await receiver.arrived(3)
    assert.deepEqual(await statuses(processor, receiver.deliveries), ['requires_action', 'succeeded'])

    await steer({ lost: true })
    await run()
    receiver.deliveries.length = 0
    await steer({})
    const { setupIntentId } = await openIntent(processor)
    await receiver.arrived(1)
    assert.ok(receiver.deliveries[0]?.body.includes(setupIntentId))
  })

  test('a behaviour set for one partner, even an outage, does not affect other partners', async (t) => {
    const receiver = await startReceiver(t)
    const { processor, confirmation } = await startSimulator(t, db, receiver.url)
    await confirmation.changeBehaviour('partner_2', { lost: true, down: true })
    await openIntent(processor)
    await receiver.arrived(1)
    const theirs = { ...inventTenant().owners, partnerId: 'partner_2' }
    const create = () =>
      processor.createCustomer({ ...theirs, name: 'A', email: 'a@example.com', idempotencyKey: theirs.customerId })
    await assert.rejects(create, (error) => error instanceof DomainError && error.code === 'service_unavailable')
    assert.deepEqual(await confirmation.changeBehaviour('partner_2', { down: false }), {
      ...defaultProcessorBehaviour,
      lost: true,
    })
    const { processorCustomerId } = await create()
    const intent = { ...theirs, processorCustomerId, idempotencyKey: `i-${theirs.customerId}` }
    const { setupIntentId } = await processor.createSetupIntent(intent)
    await openIntent(processor)
    await receiver.arrived(2)
    assert.ok(!receiver.deliveries.some(({ body }) => body.includes(setupIntentId)))
    await confirmation.changeBehaviour('partner_2', { down: true })
    await assert.rejects(processor.readSetupIntent(setupIntentId))
    await confirmation.changeBehaviour('partner_2', { down: false })
  })

  test('an event that is delayed or due for a retry when the simulator stops is sent by the next simulator', async (t) => {
    const gone = await startReceiver(t, () => 500)
    const first = await startSimulator(t, db, gone.url)
    const failing = await openIntent(first.processor)
    await gone.arrived(1)
    await first.steer({ delaySeconds: 1 })
    const waiting = await openIntent(first.processor)
    await first.app.close()

    const receiver = await startReceiver(t)
    const second = await startSimulator(t, db, receiver.url, { kept: true })
    assert.deepEqual(await second.confirmation.readBehaviour('partner_1'), {
      ...defaultProcessorBehaviour,
      delaySeconds: 1,
    })
    await receiver.arrived(2)
    const about = ({ setupIntentId }: { setupIntentId: string }) =>
      receiver.deliveries.filter(({ body }) => body.includes(setupIntentId)).length
    assert.deepEqual([about(failing), about(waiting)], [1, 1])
    await waitForProcessorWebhooks()
  })

  async function waitForProcessorWebhooks(): Promise<void> {
    const left = async () => (await db.pool.query('select from simulated_processor.outgoing_webhooks')).rowCount ?? 0
    await waitFor('nothing is pending', left, (count) => count === 0)
  }

  /**
   * Asserts that no event is due within half of this time, then moves all due times as if the whole time had passed.
   */
  async function assertNothingDueThenAdvance(seconds: number): Promise<void> {
    const soon = 'select from simulated_processor.outgoing_webhooks where due_at < now() + interval $1'
    assert.equal((await db.pool.query(soon.replace('$1', `'${seconds / 2} seconds'`))).rowCount, 0)
    await db.pool.query(
      `update simulated_processor.outgoing_webhooks set due_at = due_at - interval '${seconds} seconds'`,
    )
  }
})

interface EventList {
  object: string
  url: string
  has_more: boolean
  data: { id: string; object: string; type: string; created: number; data: { object: { id: string } } }[]
}

describe('the event list of the payment processor simulator', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  async function list(apiBase: URL, query: string): Promise<EventList> {
    const { status, body } = await callSimulator(apiBase, `/v1/events${query}`, { key: secretKey })
    assert.equal(status, 200, JSON.stringify(body))
    return body as unknown as EventList
  }

  test('events are listed newest first, exactly as webhooks send them, without client secrets, even if the webhook was lost', async (t) => {
    const receiver = await startReceiver(t)
    const { apiBase, processor, confirmation, steer } = await startSimulator(t, db, receiver.url)
    const opened = await openIntent(processor)
    await receiver.arrived(1)
    await steer({ lost: true })
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_visa')
    const { object, url, data } = await list(apiBase, '?limit=2')
    assert.deepEqual([object, url], ['list', '/v1/events'])
    assert.deepEqual(
      data.map(({ type }) => type),
      ['setup_intent.succeeded', 'setup_intent.created'],
    )
    const [told] = receiver.deliveries.map(({ body }) => JSON.parse(body.toString()))
    assert.deepEqual(data[1], told)
    assert.ok(data.every((event) => event.data.object.id === opened.setupIntentId))
    assert.ok(!JSON.stringify(data).includes('_secret_'))
  })

  test('types, times and pages select exactly the matching events', async (t) => {
    const { apiBase } = await startSimulator(t, db)
    await db.pool.query('delete from simulated_processor.events')
    const insert = `insert into simulated_processor.events (id, type, happened_at, body)
      values ($1, $2, $3, json_build_object('id', $1::text, 'type', $2::text, 'created', $3::bigint)::text)`
    const now = Math.floor(Date.now() / 1000)
    for (let index = 0; index < 12; index += 1) {
      const type = index % 3 === 0 ? 'payment_intent.succeeded' : 'setup_intent.succeeded'
      await db.pool.query(insert, [`evt_${index}`, type, now - 100 + Math.floor(index / 2)])
    }
    const ids = async (query: string) => (await list(apiBase, query)).data.map(({ id }) => Number(id.slice(4)))
    assert.deepEqual(await ids('?limit=100'), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepEqual(await ids(''), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    assert.deepEqual(await ids('?types[]=payment_intent.succeeded&types[]=setup_intent.canceled'), [9, 6, 3, 0])
    assert.deepEqual(await ids(`?created[gte]=${now - 98}&created[lt]=${now - 96}`), [7, 6, 5, 4])
    const seen: number[] = []
    let page = await list(apiBase, '?limit=5')
    while (page.has_more) {
      seen.push(...page.data.map(({ id }) => Number(id.slice(4))))
      page = await list(apiBase, `?limit=5&starting_after=${page.data.at(-1)?.id}`)
    }
    seen.push(...page.data.map(({ id }) => Number(id.slice(4))))
    assert.deepEqual(seen, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  })

  test('events older than 30 days are deleted when the next event is stored', async (t) => {
    const { processor } = await startSimulator(t, db)
    const old = Math.floor(Date.now() / 1000) - 30 * 86_400 - 10
    const insert = 'insert into simulated_processor.events (id, type, happened_at, body) values ($1, $2, $3, $4)'
    await db.pool.query(insert, ['evt_old', 'x', old, '{}'])
    await db.pool.query(insert, ['evt_not_yet', 'x', old + 60, '{}'])
    await openIntent(processor)
    const { rows } = await db.pool.query("select id from simulated_processor.events where type = 'x'")
    assert.deepEqual(rows, [{ id: 'evt_not_yet' }])
  })

  test('a query that the simulator does not know or cannot use is rejected', async (t) => {
    const { apiBase } = await startSimulator(t, db)
    for (const [query, code, param] of [
      ['?limit=101', undefined, 'limit'],
      ['?created[gte]=yesterday', undefined, 'created[gte]'],
      ['?created[at]=1', 'parameter_unknown', 'created[at]'],
      ['?ending_before=evt_1', 'parameter_unknown', 'ending_before'],
      ['?starting_after=evt_unknown', 'resource_missing', 'starting_after'],
    ] as const) {
      const { status, body } = await callSimulator(apiBase, `/v1/events${query}`, { key: secretKey })
      assert.deepEqual([status, body.error?.code, (body.error as { param?: string }).param], [400, code, param])
    }
  })

  test("a browser's key, or no key, is rejected", async (t) => {
    const { apiBase } = await startSimulator(t, db)
    for (const call of [{ key: publishableKeyOf(secretKey) }, {}])
      assert.equal((await callSimulator(apiBase, '/v1/events', call)).status, 401)
  })
})
