import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Pool } from 'pg'
import { isFullSize } from '../support/campaign-size.ts'
import { connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { createCancelledQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Receiver, respondToEvents, startReceiver } from './receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const pool = new Pool({ connectionString: service.connectionString, max: 2 })
after(async () => {
  await pool.end()
  await service.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)

/** All messages to all webhooks add up to 1 GB at full size and 100 MB otherwise. */
const [webhooks, events, bodyBytes] = isFullSize ? [20, 10_000, 5_000] : [5, 1_000, 20_000]
/** How many deliveries the worker sends to one webhook at once. */
const mostToOne = 16

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1_000_000
}

/**
 * Creates the backlog that a long outage of all receivers leaves: every webhook has a pending delivery of every event,
 * and all are due now. Each event belongs to a different quote.
 */
async function queueBacklog(): Promise<void> {
  await pool.query(
    `with told as (
       insert into events (event_id, partner_id, quote_id, type, data, dispatched_at)
       select 'event_backlog_' || n, (select partner_id from webhooks
         limit 1), 'quote_backlog_' || n, 'quote.status.changed',
         (json_build_object('quoteId', 'quote_backlog_' || n, 'reference', null, 'branch', null, 'soldBy', null,
           'previousStatus', null, 'status',
           'draft', 'reason', null)
           || repeat(' ', $2::integer))::json, now()
         from generate_series(1, $1::integer) n
       returning *
     )
     insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id,
       event_number, in_order)
     select format('delivery_%s_%s', right(webhook_id, 26), event_number), partner_id, webhook_id, event_id, event_id,
       type, quote_id,
       event_number, true
     from told join webhooks using (partner_id)`,
    [events, bodyBytes],
  )
}

test('while every receiver is slow, due deliveries wait in the database and not in memory', async (t) => {
  const open = new Map<string, number>()
  const held: (() => void)[] = []
  let isHolding = true
  let mostOpen = 0
  let mostOpenToOne = 0
  let responses = 0
  const receiver: Receiver = await startReceiver(
    t,
    respondToEvents(({ path }, response) => {
      // The bodies are not kept, because the test measures the memory of this process.
      receiver.received.length = 0
      open.set(path, (open.get(path) ?? 0) + 1)
      mostOpenToOne = Math.max(mostOpenToOne, open.get(path) ?? 0)
      mostOpen = Math.max(mostOpen, openNow())
      // Also when the sender gives up, which it does after 15 s.
      response.on('close', () => open.set(path, (open.get(path) ?? 0) - 1))
      const respond = () => {
        responses += 1
        response.end()
      }
      if (isHolding) held.push(respond)
      else setTimeout(respond, 50)
    }),
  )
  const openNow = () => [...open.values()].reduce((sum, count) => sum + count, 0)
  for (let count = 0; count < webhooks; count += 1) {
    const url = `https://localhost:${receiver.port}/${count}`
    succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  }
  const unverified = `select from webhooks where verification <> 'verified'`
  await waitFor('all are verified', async () => (await pool.query(unverified)).rows.length === 0)

  const heapBefore = heapMegabytes()
  await queueBacklog()
  const leases: number[] = []
  const heap: number[] = []
  const addressUid = await findProperty(partner, 'CB2 1TN')
  const all = webhooks * mostToOne
  await waitFor('as many deliveries as allowed are being sent', () => openNow() === all)
  for (let sample = 0; sample < 10; sample += 1) {
    if (sample === 5) {
      isHolding = false
      for (const respond of held) respond()
    }
    const { rows } = await pool.query(
      `select count(*)::integer as leased from deliveries where status = 'pending' and leased_until > now()`,
    )
    leases.push(rows[0].leased)
    heap.push(heapMegabytes() - heapBefore)
    const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid }))
    succeeded(await partner.get(`/Quotes/${quoteId}`))
  }
  await waitFor('more deliveries have been sent than may be sent at once', () => responses > 2 * all)

  assert.ok(Math.max(...leases) <= all, `leased at once: ${leases}`)
  assert.ok(mostOpen <= all, `open at once: ${mostOpen}`)
  assert.ok(mostOpenToOne <= mostToOne, `open at once to one receiver: ${mostOpenToOne}`)
  // The limit leaves room for the messages being sent and their connections, but not for half of the backlog.
  assert.ok(Math.max(...heap) < (webhooks * events * bodyBytes) / 2_000_000, `heap growth in MB: ${heap}`)
  const { rows } = await pool.query(`select count(*)::integer as pending from deliveries where status = 'pending'`)
  assert.ok(rows[0].pending > (webhooks * events) / 2, 'most of the backlog was still pending at the end')
})

test('the API keeps working while the delivery tables are locked, because it does not use them', async (t) => {
  const receiver = await startReceiver(t)
  const url = `https://localhost:${receiver.port}/`
  succeeded(await partner.post('/Webhooks', { url, events: ['quote.status.changed'] }))
  await waitFor('it is verified', () => receiver.received.length === 1)
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('lock table delivery_queue, delivery_history in access exclusive mode')
    const { quoteId } = await createCancelledQuote(partner)
    assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'cancelled')
    assert.ok(succeeded(await partner.get('/Quotes')).data.length > 0)
    await client.query('commit')
  } finally {
    client.release()
  }
  await waitFor('its events arrive', () => receiver.events().length >= 4)
})
