import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endQueued } from './dispatching-worker-fixture.ts'
import { answeringEvents, startReceiver, until } from './receiver-fixture.ts'
import { openLab, quoteStory } from './webhook-fixture.ts'

const hanging = answeringEvents(() => undefined)

test('healthy receivers, when one hangs with a long queue, get everything at once', async (t) => {
  const lab = await openLab(t)
  const dead = await startReceiver(t, hanging)
  const healthy = [await startReceiver(t), await startReceiver(t)]
  await lab.register({ url: `https://receiver.test:${dead.port}/` })
  lab.startWorker({ limits: { slots: 8 } })
  await lab.happen(Array.from({ length: 20 }, () => quoteStory(1)).flat())
  await until('the dead one is being sent to', () => dead.events().length > 0)
  for (const receiver of healthy) await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const begun = performance.now()
  await lab.happen(Array.from({ length: 15 }, () => quoteStory(2)).flat())
  await until('the healthy ones have everything', () => healthy.every((receiver) => receiver.events().length === 30))
  assert(performance.now() - begun < 10_000)
  assert(dead.events().length < 8, 'the hanging receiver never has all slots')
})

/** A byte now and then, and never the last one. */
const dripping = answeringEvents((_received, response) => {
  response.writeHead(200, { 'Content-Length': 10_000 })
  const drip = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(drip))
})
const refusing = answeringEvents((_received, response) => {
  response.statusCode = 503
  response.end()
})

test('a healthy receiver, beside one that hangs, one that drips and one that refuses, gets everything in order', async (t) => {
  const lab = await openLab(t)
  const [silent, slow, broken] = [
    await startReceiver(t, hanging),
    await startReceiver(t, dripping),
    await startReceiver(t, refusing),
  ]
  const healthy = await startReceiver(t)
  for (const { port } of [silent, slow, broken, healthy]) await lab.register({ url: `https://receiver.test:${port}/` })
  // Fewer slots than events: who waited for another's answer would have none left.
  lab.startWorker({ limits: { slots: 16 }, retrySeconds: [0.1, 0.1] })
  for (let quote = 0; quote < 10; quote += 1) await lab.happen(quoteStory(3, `quote_${quote}`))
  await until('it has everything', () => healthy.events().length === 30, 14_000)
  for (let quote = 0; quote < 10; quote += 1) {
    const own = healthy.events().filter(({ message }) => message.data.quoteId === `quote_${quote}`)
    assert.deepEqual(
      own.map(({ message }) => message.data.reference),
      ['step 0', 'step 1', 'step 2'],
    )
  }
  // All this while not one of their attempts has ended.
  const ended = await lab.rows(
    `select distinct url from deliveries join webhooks using (webhook_id) where is_event and attempt_count > 0`,
  )
  const urls = ended.map(({ url }) => url)
  for (const { port, events } of [silent, slow]) {
    assert.ok(events().length > 0)
    assert.ok(!urls.includes(`https://receiver.test:${port}/`))
  }
})

test('a healthy receiver, when a crowd of failing ones hangs, still finds a slot', async (t) => {
  const lab = await openLab(t)
  const dead = await startReceiver(t, hanging)
  const partners = [await lab.newPartner(), await lab.newPartner()]
  for (const partner of partners) {
    for (let count = 0; count < 15; count += 1)
      await lab.register({ url: `https://receiver.test:${dead.port}/${count}` }, partner)
  }
  await lab.rows(`update webhooks set failing_since = now(), last_failed_at = now()`)
  await endQueued(lab, 'delivered')
  const worker = { slots: 16 }
  lab.startWorker({ limits: worker })
  for (const partner of partners) await lab.happen([...quoteStory(1), ...quoteStory(1)], partner)
  await until('the failing ones hang', () => dead.events().length === 8)
  const healthy = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${healthy.port}/` })
  await lab.happen(quoteStory(5))
  await until('the healthy one has everything', () => healthy.events().length === 5, 3_000)
  assert.equal(dead.events().length, 8)
})

test('leasing, when one webhook has a backlog of many thousands, stays quick for the others', async (t) => {
  const lab = await openLab(t)
  const dead = await startReceiver(t, hanging)
  const healthy = await startReceiver(t)
  const { webhookId } = await lab.register({ url: `https://receiver.test:${dead.port}/` })
  await lab.rows(
    `with backlog as (
       insert into events (event_id, partner_id, quote_id, type, data, dispatched_at)
       select 'event_' || n, $1, 'quote_' || n % 5000, 'quote.status.changed',
         json_build_object('quoteId', 'quote_' || n % 5000, 'reference', null, 'previousStatus', null, 'status', 'draft'), now() from generate_series(1, 30000) n
       returning event_id, quote_id, event_number
     )
     insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, in_order)
     select 'delivery_' || event_number, $1, $2, event_id, event_id, 'quote.status.changed', quote_id, event_number, true
     from backlog`,
    [lab.caller.partnerId, webhookId],
  )
  await lab.register({ url: `https://receiver.test:${healthy.port}/` })
  lab.startWorker()
  await until('the dead one is being sent to', () => dead.events().length > 0)
  const begun = performance.now()
  for (let step = 0; step < 20; step += 1) await lab.happen(quoteStory(1))
  await until('the healthy one has everything', () => healthy.events().length === 20)
  assert(performance.now() - begun < 10_000)
})
