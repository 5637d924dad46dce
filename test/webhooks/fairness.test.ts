import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  assert(performance.now() - begun < 4_000)
  assert(dead.events().length < 8, 'the hanging receiver never has all slots')
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
  await lab.rows(`update deliveries set status = 'delivered'`)
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
  await lab.happen(quoteStory(1))
  const [event] = await lab.rows('select * from events')
  await lab.rows(
    `insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, body, status, next_attempt_at)
     select 'delivery_' || n, $1, $2, $3, $3, 'quote.status.changed', 'quote_' || n % 5000, n, '{"type":"quote.status.changed","data":{}}', 'pending',
       case when n <= 5000 then now() end
     from generate_series(1, 30000) n`,
    [lab.caller.partnerId, webhookId, event?.event_id],
  )
  await lab.rows('update events set dispatched_at = now()')
  await lab.register({ url: `https://receiver.test:${healthy.port}/` })
  lab.startWorker()
  await until('the dead one is being sent to', () => dead.events().length > 0)
  const begun = performance.now()
  for (let step = 0; step < 20; step += 1) await lab.happen(quoteStory(1))
  await until('the healthy one has everything', () => healthy.events().length === 20)
  assert(performance.now() - begun < 3_000)
})
