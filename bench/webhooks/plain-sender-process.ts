import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { Agent } from 'undici'
import { newId } from '../../src/kernel/ids.ts'

/*
 * What durable delivery costs at least: undici again, and for each message one row written before it is sent and the outcome written into
 * it afterwards, many to a statement, with the primary key as its only index; signed. Nothing is looked up, ordered, shared out or
 * leased, and nothing could be listed. It tells how much of the way from bare POSTs to the service no service can avoid.
 */

export interface PlainOrder {
  urls: readonly string[]
  /** As many as there are in `benchmark.messages`. */
  posts: number
}

interface Message {
  id: string
  messageId: string
  body: string
}

interface Ended {
  id: string
  startedAt: number
  durationMs: number
  headers: string
  status: number
}

const batch = { dispatched: 1_000, recorded: 500, ready: 2_000, recordEveryMs: 25 }
const [connectionString, connectionsEach = '1'] = process.argv.slice(2)
const agent = new Agent({
  connections: Number(connectionsEach),
  allowH2: false,
  connect: { rejectUnauthorized: false },
})
const pool = new Pool({ connectionString, max: 2, idleTimeoutMillis: 0 })
const key = createSecretKey(randomBytes(32))

async function deliverAll({ urls, posts }: PlainOrder): Promise<void> {
  const ready: Message[] = []
  const ended: Ended[] = []
  let dispatched = 0
  let recorded = 0

  async function dispatch(): Promise<void> {
    while (dispatched < posts) {
      if (ready.length > batch.ready) {
        await sleep(5)
        continue
      }
      const { rows } = await pool.query<{ message_id: string; body: string }>({
        name: 'list',
        text: 'select message_id, body from benchmark.messages where number > $1 order by number limit $2',
        values: [dispatched, batch.dispatched],
      })
      const messages = rows.map(({ message_id, body }) => ({ id: newId('delivery'), messageId: message_id, body }))
      await pool.query({
        name: 'insert',
        text: `insert into benchmark.sent (id, message_id, status) select g.*, 'pending' from unnest($1::text[], $2::text[]) g`,
        values: [messages.map(({ id }) => id), messages.map(({ messageId }) => messageId)],
      })
      dispatched += messages.length
      ready.push(...messages)
    }
  }

  async function record(): Promise<void> {
    while (recorded < posts) {
      const some = ended.splice(0, batch.recorded)
      if (some.length === 0) {
        await sleep(batch.recordEveryMs)
        continue
      }
      await pool.query({
        name: 'record',
        text: `update benchmark.sent s set status = 'delivered', started_at = to_timestamp(g.started_at / 1000),
            duration_ms = g.duration_ms, request_headers = g.headers, response_status = g.status
          from unnest($1::text[], $2::double precision[], $3::integer[], $4::json[], $5::integer[])
            g (id, started_at, duration_ms, headers, status) where s.id = g.id`,
        values: [
          some.map(({ id }) => id),
          some.map(({ startedAt }) => startedAt),
          some.map(({ durationMs }) => durationMs),
          some.map(({ headers }) => headers),
          some.map(({ status }) => status),
        ],
      })
      recorded += some.length
    }
  }

  async function lane(url: URL): Promise<void> {
    while (dispatched < posts || ready.length > 0) {
      const message = ready.shift()
      if (message === undefined) await sleep(1)
      else ended.push(await send(url, message))
    }
  }

  const lanes = urls.flatMap((url) => Array.from({ length: Number(connectionsEach) }, () => lane(new URL(url))))
  await Promise.all([dispatch(), record(), ...lanes])
}

async function send({ origin, pathname: path }: URL, { id, messageId, body }: Message): Promise<Ended> {
  const startedAt = Date.now()
  const seconds = String(Math.floor(startedAt / 1_000))
  const signature = createHmac('sha256', key).update(`${messageId}.${seconds}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Housebill-Webhooks/1',
    'webhook-id': messageId,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  }
  const answer = await agent.request({ origin, path, method: 'POST', headers, body })
  await answer.body.dump()
  const durationMs = Date.now() - startedAt
  return { id, startedAt, durationMs, headers: JSON.stringify(headers), status: answer.statusCode }
}

process.on('message', (order: PlainOrder) => {
  deliverAll(order).then(
    () => process.send?.('done'),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
