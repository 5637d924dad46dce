import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { change, untilListening, urlOf } from './life-cycle-fixture.ts'
import { answeringEvents, startReceiver, until } from './receiver-fixture.ts'
import { openLab, quoteStory, type WebhookLab } from './webhook-fixture.ts'

/** Nothing in these tests is found by the poll. */
const longestPauseMs = 60_000

/** Counts how often a worker of the lab asks for what is due, from now on. */
function countLeases(lab: WebhookLab): { count: number } {
  const leases = { count: 0 }
  lab.db.pool.on('connect', (client) => {
    const query = new Proxy(client.query, {
      apply(target, self, given: [unknown]) {
        if (/set lease_id = \$/.test(JSON.stringify(given[0]))) leases.count += 1
        return Reflect.apply(target, self, given)
      },
    })
    Object.defineProperty(client, 'query', { value: query })
  })
  return leases
}

/** After a wake the pauses double: when nobody looked for so long, nobody does for twice as long, unless woken. */
const untilNobodyLooked = (leases: { count: number }, ms: number) =>
  until('what looks soon after has looked', async () => {
    const { count } = leases
    await sleep(ms)
    return count > 0 && count === leases.count
  })

test('events, while all hands for their receiver are full, have nobody look for them, and are sent as soon as it answers', async (t) => {
  const lab = await openLab(t)
  const leases = countLeases(lab)
  let held: ServerResponse[] | undefined = []
  const receiver = await startReceiver(
    t,
    answeringEvents((_received, response) => (held ? held.push(response) : response.end('ok'))),
  )
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await lab.rows('delete from deliveries')
  lab.startWorker({ limits: { perWebhook: 2, longestPauseMs } })
  await untilListening(lab)
  await lab.happen([...quoteStory(1), ...quoteStory(1)])
  await until('its hands are full', () => receiver.events().length === 2)
  await untilNobodyLooked(leases, 300)
  const before = leases.count
  for (let event = 0; event < 20; event += 1) {
    await lab.happen(quoteStory(1))
    await sleep(30)
  }
  await until(
    'all are queued',
    async () => (await lab.rows('select from deliveries where lease_id is null')).length === 20,
  )
  assert.ok(leases.count - before < 10, `${leases.count - before} looks for 20 events`)
  const waiting = held
  held = undefined
  for (const response of waiting) response.end('ok')
  await until('everything has arrived', () => receiver.events().length === 22)
})

test('a webhook, when it is moved while all hands for it are full, is sent what is due at its new URL at once', async (t) => {
  const lab = await openLab(t)
  const leases = countLeases(lab)
  const dead = await startReceiver(
    t,
    answeringEvents((_received, response, count) => {
      if (count === 1) response.writeHead(500).end()
    }),
  )
  const next = await startReceiver(t)
  const { webhookId } = await lab.register({ url: urlOf(dead) })
  await lab.rows('delete from deliveries')
  lab.startWorker({ retrySeconds: [3_600], limits: { perFailingWebhook: 2, longestPauseMs } })
  await untilListening(lab)
  await lab.happen(quoteStory(1))
  await until(
    'it is failing',
    async () => (await lab.rows('select from webhooks where failing_since < now()')).length === 1,
  )
  await lab.happen([...quoteStory(1), ...quoteStory(1), ...quoteStory(1)])
  await until('its hands are full', () => dead.events().length === 3)
  await untilNobodyLooked(leases, 1_300)
  const before = leases.count
  await change(lab, webhookId, { url: urlOf(next) })
  await until('somebody looks', () => leases.count > before, 1_200)
  await until('its challenge and what waited arrive', () => next.received.length >= 2, 4_000)
})
