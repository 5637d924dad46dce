import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { inTransaction } from '../../src/platform/db/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { waitForDispatchLock } from '../../src/webhooks/delivery/dispatch.store.ts'
import type { EndedAttempt, LeasedDelivery } from '../../src/webhooks/delivery/queue.store.ts'
import { recordEndedAttempts, recordTogether } from '../../src/webhooks/delivery/record-attempts.ts'
import { acceptedAttempt, dispatch, leaseAll } from './dispatching-worker-fixture.ts'
import { openLab, statusChanges, type WebhookLab } from './webhook-fixture.ts'

/** Registers a webhook and empties its queue. */
async function register(lab: WebhookLab, partner = lab.caller): Promise<string> {
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' }, partner)
  await lab.rows('delete from delivery_queue')
  return webhookId
}

/** Records this many events, each of a different quote. */
const happenSingly = (lab: WebhookLab, count: number, partner = lab.caller) =>
  lab.happen(Array.from({ length: count }, () => statusChanges(1)).flat(), partner)

/** Registers a webhook, then creates and leases one event for each of `quotes` quotes. */
async function leasedEvents(lab: WebhookLab, quotes: number): Promise<LeasedDelivery[]> {
  await register(lab)
  await happenSingly(lab, quotes)
  await dispatch(lab, 100)
  return leaseAll(lab)
}

const record = (lab: WebhookLab, delivery: LeasedDelivery, attempt = acceptedAttempt) =>
  recordTogether({ db: lab.db, retrySeconds: [60], random: () => 0.5 }, [{ delivery, attempt }])

const ofQuote = ({ body }: LeasedDelivery) => JSON.parse(body).data.reference

test('if PostgreSQL rejects one of many attempts, the others are recorded and that one is dropped', async (t) => {
  const lab = await openLab(t)
  const leased = await leasedEvents(lab, 5)
  assert.equal(leased.length, 5)
  const rejected = leased[2]?.deliveryId
  await lab.rows(`alter table delivery_history add check (delivery_id <> '${rejected}')`)
  const logged: string[] = []
  const ended: EndedAttempt[] = leased.map((delivery) => ({ delivery, attempt: acceptedAttempt }))
  const deliverySender = { ended, release: (count: number) => void ended.splice(0, count) }
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  await recordEndedAttempts({ db: lab.db, log, deliverySender, retrySeconds: [] })
  assert.deepEqual(ended, [])
  assert.deepEqual(await lab.rows('select delivery_id from delivery_queue'), [{ delivery_id: rejected }])
  assert.equal((await lab.rows(`select from delivery_history where status = 'delivered'`)).length, 4)
  assert(logged.some((line) => line.includes('could not be recorded') && line.includes(String(rejected))))
})

test('recording a failed attempt returns the time until the next one', async (t) => {
  const lab = await openLab(t)
  const [delivery] = await leasedEvents(lab, 1)
  assert(delivery !== undefined)
  const { retriesInMs } = await record(lab, delivery, { ...acceptedAttempt, outcome: 'failed', responseStatus: 500 })
  assert.deepEqual(retriesInMs, [60_000])
  assert.deepEqual(await leaseAll(lab), [])
})

test('an attempt is not recorded if another worker has leased its delivery in the meantime', async (t) => {
  const lab = await openLab(t)
  const [late] = await leasedEvents(lab, 1)
  assert(late !== undefined)
  await lab.rows('update delivery_queue set leased_until = now()')
  const [current] = await leaseAll(lab)
  assert(current !== undefined)
  assert.equal(current.deliveryId, late.deliveryId)
  const state = () => lab.rows('select status, attempt_count from deliveries')
  await record(lab, late)
  assert.deepEqual(await state(), [{ status: 'pending', attempt_count: 0 }])
  await record(lab, current)
  assert.deepEqual(await state(), [{ status: 'delivered', attempt_count: 1 }])
})

test('concurrent workers never lease the same delivery', async (t) => {
  const lab = await openLab(t)
  await leasedEvents(lab, 15)
  await lab.rows('update delivery_queue set leased_until = now()')
  const taken = (await Promise.all([leaseAll(lab), leaseAll(lab), leaseAll(lab), leaseAll(lab)])).flat()
  assert.equal(new Set(taken.map(({ deliveryId }) => deliveryId)).size, 15)
  assert.equal(taken.length, 15)
})

test('due events of one quote are leased one at a time, each only after the first attempt to send the previous one has been recorded', async (t) => {
  const lab = await openLab(t)
  await register(lab)
  await lab.happen(statusChanges(3))
  await dispatch(lab, 10)
  const steps: string[] = []
  for (const outcome of ['failed', 'accepted', 'accepted'] as const) {
    const leased = await leaseAll(lab)
    steps.push(...leased.map(ofQuote))
    assert.deepEqual(await leaseAll(lab), [], 'the next event waits for the leased one')
    for (const delivery of leased) await record(lab, delivery, { ...acceptedAttempt, outcome })
  }
  assert.deepEqual(steps, ['step 0', 'step 1', 'step 2'])
})

test('an event dispatched while an attempt at the previous event is being recorded can be sent once that is done', async (t) => {
  const lab = await openLab(t)
  await register(lab)
  await lab.happen(statusChanges(1, 'quote_1'))
  await dispatch(lab, 10)
  const [first] = await leaseAll(lab)
  assert(first !== undefined)
  await lab.happen(statusChanges(1, 'quote_1'))
  const { recording } = await inTransaction(lab.db, {}, async (tx) => {
    await tx.query(sql`select from delivery_queue for update`)
    const pending = record(lab, first)
    assert.equal((await dispatch(lab, 10)).deliveries, 1)
    assert.deepEqual(await leaseAll(lab), [])
    // A bare promise would be awaited before the commit, while it is itself waiting for the commit. The object prevents
    // that.
    return { recording: pending }
  })
  await recording
  assert.equal((await leaseAll(lab)).length, 1)
})

test('dispatch does nothing while another worker dispatches', async (t) => {
  const lab = await openLab(t)
  await lab.happen(statusChanges(1))
  await inTransaction(lab.db, {}, async (tx) => {
    await waitForDispatchLock(tx)
    assert.equal((await dispatch(lab, 10)).events, 0)
  })
  assert.equal((await dispatch(lab, 10)).events, 1)
})

test('one batch covers all partners with undispatched events, and the result says whether any partner has more', async (t) => {
  const lab = await openLab(t)
  const quiet = await lab.newPartner()
  await register(lab)
  const own = await register(lab, quiet)
  await happenSingly(lab, 50)
  await happenSingly(lab, 1, quiet)
  assert.deepEqual(await dispatch(lab, 10), { events: 6, deliveries: 6, hasMore: true })
  assert.equal((await lab.rows('select from delivery_queue where webhook_id = $1', [own])).length, 1)
  assert.deepEqual(await dispatch(lab, 100), { events: 45, deliveries: 45, hasMore: false })
  for (let count = 0; count < 5; count += 1) await happenSingly(lab, 1, await lab.newPartner())
  const { events, hasMore } = await dispatch(lab, 3)
  assert.deepEqual([events, hasMore], [5, true], 'at least one event of each partner is dispatched')
})

test('a worker leases deliveries for a webhook only up to a limit that includes those being sent', async (t) => {
  const lab = await openLab(t)
  const webhookId = await register(lab)
  await happenSingly(lab, 30)
  await dispatch(lab, 100)
  assert.equal((await leaseAll(lab, {}, new Map([[webhookId, 10]]))).length, 6)
  await lab.rows('update webhooks set failing_since = now()')
  assert.deepEqual(await leaseAll(lab, {}, new Map([[webhookId, 4]])), [])
  assert.equal((await leaseAll(lab, {}, new Map([[webhookId, 1]]))).length, 3)
  assert.equal((await leaseAll(lab, { failingSlots: 2 })).length, 2)
})

test('events wait if their webhook must be verified first, but its verification messages do not', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  await happenSingly(lab, 2)
  await dispatch(lab, 10)
  const leased = await leaseAll(lab, { requireVerification: true })
  assert.deepEqual(
    leased.map(({ type }) => type),
    ['webhook.verification'],
  )
})
