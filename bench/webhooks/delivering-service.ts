import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Pool } from 'pg'
import type { DomainEvent } from '../../src/events/event.ts'
import type { Caller } from '../../src/partners/caller.ts'
import { createDatabase, type Database } from '../../src/platform/db/database.ts'
import { notify } from '../../src/platform/db/wake-up.ts'
import { createFieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { createWebhook } from '../../src/webhooks/endpoints/create-webhook.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import type { Run } from '../scenario.ts'

/** The service, and what writes its events. */
export interface DeliveringService extends MeasuredService {
  db: Database
  /** Creates a partner with a webhook for each URL (at most 20), subscribed to quote.status.changed. */
  subscribe(urls: readonly string[]): Promise<Subscriber>
  /** Deletes all webhooks, events and deliveries. */
  clear(): Promise<void>
}

export interface Subscriber {
  caller: Caller
  webhookIds: readonly string[]
}

/** Longer than the worker pauses after a step that failed. */
const workersPauseMs = 1_500

export async function startDeliveringService(run: Run): Promise<DeliveringService> {
  const key = randomBytes(32)
  const service = await startMeasuredService(run, {
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // The receivers do not read what they get.
    WEBHOOK_REQUIRE_VERIFICATION: 'false',
    ENCRYPTION_KEYS: `bench:${key.toString('base64')}`,
  })
  const { pool } = service
  if (!run.isQuick) await fillWriteAheadLog(pool)
  const db = createDatabase(pool)
  // This process writes the events but has no worker to send them. So it notifies the service, as any other process of
  // the service would.
  const announced = { isWaiting: false }
  db.commits.subscribe(() => {
    if (announced.isWaiting) return
    announced.isWaiting = true
    setTimeout(() => {
      announced.isWaiting = false
      void notify(db, 'housebill_webhooks', 'benchmark events,deliveries')
    }, 20)
  })
  // Webhook secrets are encrypted and never hashed, so the hash key does not matter.
  const cipher = createFieldCipher([{ id: 'bench', key }], Buffer.alloc(32))
  // Receivers are addressed by IP address, so no name is looked up.
  const resolver = { resolve: (name: string) => Promise.reject(new Error(`${name} must not be looked up`)) }

  return {
    ...service,
    db,
    async subscribe(urls) {
      const partnerId = newId('partner')
      await pool.query('insert into partners (partner_id, name) values ($1, $2)', [partnerId, 'Benchmark'])
      const caller = { partnerId, clientId: 'sb_bench', requestId: 'bench', now: new Date() }
      const webhookIds: string[] = []
      for (const url of urls) {
        const dependencies = { db, cipher, resolver, egress: { allowLoopback: true } }
        const { webhook } = await createWebhook(dependencies, caller, { url, events: ['quote.status.changed'] })
        webhookIds.push(webhook.webhookId)
      }
      await pool.query(
        `with gone as (delete from delivery_queue where webhook_id = any($1))
        update webhooks set verification = 'verified', failing_since = null, last_failed_at = null
          where webhook_id = any($1)`,
        [webhookIds],
      )
      return { caller, webhookIds }
    },
    async clear() {
      while (!(await truncate(pool)));
      // If the deadlock ended a step of the worker instead, the worker has paused, and would be measured while it does.
      await sleep(workersPauseMs)
      await pool.query('vacuum analyze events, delivery_queue, delivery_history, webhooks')
    },
  }
}

/** Creates a separate partner, with one webhook, for every receiver. */
export async function createSubscribers(service: DeliveringService, urls: readonly string[]): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = []
  for (const url of urls) subscribers.push(await service.subscribe([url]))
  return subscribers
}

/** The event recorded when a new quote's packages are selected. */
export function statusChangeEvent(quoteId = newId('quote')): DomainEvent {
  return {
    type: 'quote.status.changed',
    data: { quoteId, previousStatus: 'draft', status: 'PackagesSelected', reason: null },
  }
}

/**
 * Writes write-ahead log until PostgreSQL has enough log files to recycle. Before that, PostgreSQL creates, zeroes and
 * syncs new files, which makes the first gigabyte written to a database twice as expensive. The benchmark measures the
 * sustained rate after that.
 */
async function fillWriteAheadLog(pool: Pool): Promise<void> {
  for (let written = 0; written < 72; written += 1) {
    await pool.query(
      `select count(pg_logical_emit_message(false, 'benchmark', repeat('x', 1048576))) from generate_series(1, 16)`,
    )
  }
  await pool.query('checkpoint')
}

/**
 * Empties the webhook tables. Returns false after a deadlock with the service's worker; the caller then tries again.
 */
async function truncate(pool: Pool): Promise<boolean> {
  try {
    await pool.query('truncate webhooks, events, delivery_history cascade')
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '40P01') return false
    throw error
  }
}
