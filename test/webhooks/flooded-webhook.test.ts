import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { recordEvents } from '../../src/events/record-event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { listenForWakeUps } from '../../src/platform/db/wake-up.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { changeWebhook, untilListening, urlOf } from './life-cycle-fixture.ts'
import { respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

const flood = isFullSize ? 2_000 : 600
/** More deliveries than can be in progress at the same time. */
const onTheWay = 100

/** Commits this many events together, each of a different quote. */
const happenAtOnce = (lab: WebhookLab, count: number) =>
  inTransaction(lab.databases.forPartner(lab.caller.partnerId), {}, (tx) =>
    recordEvents(tx, lab.caller, Array.from({ length: count }, () => statusChanges(1)).flat()),
  )

async function floodedWebhook(t: Parameters<typeof openLab>[0], status: () => number = () => 204) {
  const lab = await openLab(t)
  const receiver = await startReceiver(
    t,
    respondToEvents(async (_received, response) => {
      await sleep(15)
      response.writeHead(status()).end()
    }),
  )
  const { webhookId } = await lab.register({ url: urlOf(receiver) })
  lab.startWorker({ retrySeconds: [3_600] })
  await happenAtOnce(lab, flood)
  await waitFor('some have arrived', () => receiver.events().length > onTheWay)
  return { lab, receiver, webhookId }
}

test('once a partner disables a webhook with many pending deliveries, no more of them are sent', async (t) => {
  const { lab, receiver, webhookId } = await floodedWebhook(t)
  await changeWebhook(lab, webhookId, { status: 'disabled' })
  const before = receiver.events().length
  await waitFor(
    'nothing is pending for the webhook',
    async () => (await lab.rows(`select from deliveries where status = 'pending'`)).length === 0,
  )
  assert.ok(receiver.events().length - before < onTheWay, `${receiver.events().length - before} more`)
  const [counted] = await lab.rows(
    `select count(*)::integer as given_up from deliveries where given_up_because = 'webhook_disabled'`,
  )
  assert.ok(Number(counted?.given_up) > onTheWay)
})

test('after a change of URL, every pending delivery arrives once, at the new URL or, if it was already being sent, at the old one', async (t) => {
  const { lab, receiver, webhookId } = await floodedWebhook(t)
  const other = await startReceiver(t)
  await changeWebhook(lab, webhookId, { url: urlOf(other) })
  const before = receiver.events().length
  const arrived = () => [...receiver.events(), ...other.events()].map(({ headers }) => String(headers['webhook-id']))
  await waitFor('all have arrived', () => arrived().length === flood)
  assert.ok(receiver.events().length - before < onTheWay, `${receiver.events().length - before} more`)
  assert.equal(new Set(arrived()).size, flood)
})

/** Whether the test prolongs a pause of the worker's loop. They start at 20 ms and double, unless something is due before. */
const isHeld = (ms: number) => ms > 320 && ms < 2_000

test('the commit of an event or a challenge wakes a pausing worker, which sends it', async (t) => {
  const lengths = new Set<number>()
  const limits = holdTimeouts((ms) => isHeld(ms) && lengths.add(ms).has(ms), t)
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilListening(lab)
  const untilPausing = () => waitFor('the worker pauses', () => [...lengths].some((ms) => limits.running(ms) > 0))
  await untilPausing()
  await lab.happen(statusChanges(1))
  await waitFor('the event arrives', () => receiver.events().length === 1)
  await untilPausing()
  await lab.register({ url: urlOf(receiver) })
  await waitFor('both challenges arrive', () => receiver.received.length === 3)
})

test('a listener that no notification reaches, as behind a pooler, says so, with the setting that helps', async (t) => {
  const limits = holdTimeouts((ms) => ms === 8_000, t)
  const [lab, elsewhere] = [await openLab(t), await openLab(t)]
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  // Its own notifications go to another database.
  const listener = listenForWakeUps({ ...lab, db: elsewhere.db, channel: 'test', onWake: () => undefined, log })
  t.after(() => listener.close())
  await waitFor('it listens', () => limits.running(8_000) === 1)
  assert.deepEqual(logged, [])
  limits.pass(8_000)
  assert.match(logged.join(), /notifications of PostgreSQL do not arrive.*DATABASE_DIRECT_URL/)
  assert.equal(listener.receivesNotifications, false)
})
