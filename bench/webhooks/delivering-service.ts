import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DatabaseError } from 'pg'
import { startEmbeddedPostgres } from '../../private-postgres/start-embedded.ts'
import { createPool } from '../../src/compose/open-database.ts'
import { createDatabase, type Database, inTransaction } from '../../src/db/database.ts'
import { notify } from '../../src/db/notify.ts'
import type { Caller } from '../../src/domain/auth/caller.ts'
import type { NameResolver } from '../../src/domain/webhooks/egress/name-resolver.ts'
import { createWebhook } from '../../src/domain/webhooks/endpoints/create-webhook.ts'
import { createFieldCipher } from '../../src/kernel/field-encryption.ts'
import { newId } from '../../src/kernel/ids.ts'
import { findFreePort, startService } from '../child-service.ts'

/** The service, started with its private PostgreSQL as an operator would, and direct access to its database. */
export interface DeliveringService {
  baseUrl: string
  db: Database
  /** Creates a partner with a verified webhook for each URL (at most 20), subscribed to quote.status.changed. */
  subscribe(urls: readonly string[]): Promise<Subscriber>
  /** Deletes all webhooks, events and deliveries. */
  clear(): Promise<void>
  /** Connects to the service's database as the superuser. */
  connectionString: string
  processId: number | undefined
  /** The ids of the current processes of the service's PostgreSQL. */
  postgresProcessIds(): Promise<number[]>
  /** The memory of the service's process, without PostgreSQL's, in MiB. */
  residentMiB(): Promise<number>
  stop(): Promise<void>
}

export interface Subscriber {
  caller: Caller
  webhookIds: readonly string[]
}

/** Longer than the worker pauses after a step that failed. */
const workersPauseMs = 1_500

/** Receivers are addressed by IP address, so the benchmark never looks up a name. */
const noNames: NameResolver = {
  resolve: (hostname) =>
    Promise.reject(new Error(`the benchmark must not look up names, but it looked up ${hostname}`)),
}

export async function startDeliveringService(): Promise<DeliveringService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  const port = await findFreePort()
  const key = randomBytes(32)
  const service = await startService(dataDir, port, {
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // The receivers do not read what they get.
    WEBHOOK_REQUIRE_VERIFICATION: 'false',
    ENCRYPTION_KEYS: `bench:${key.toString('base64')}`,
  })
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  const pool = createPool(postgres.connectionString, { warn: console.error })
  await fillWriteAheadLog(pool)
  const db = createDatabase(pool)
  // This process writes the events but has no worker to send them. So it notifies the service, as any other process of the service would.
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

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    db,
    async subscribe(urls) {
      const partnerId = newId('partner')
      await pool.query('insert into partners (partner_id, name) values ($1, $2)', [partnerId, 'Benchmark'])
      const caller = { partnerId, clientId: 'sb_bench', requestId: 'bench', now: new Date() }
      const webhookIds: string[] = []
      for (const url of urls) {
        const dependencies = { db, cipher, resolver: noNames, egress: { allowLoopback: true } }
        const { webhook } = await createWebhook(dependencies, caller, { url, events: ['quote.status.changed'] })
        webhookIds.push(webhook.webhookId)
      }
      await pool.query(
        `with gone as (delete from delivery_queue where webhook_id = any($1))
        update webhooks set verification = 'verified', failing_since = null, last_failed_at = null where webhook_id = any($1)`,
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
    connectionString: postgres.connectionString,
    processId: service.processId,
    async postgresProcessIds() {
      const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity')
      return rows.map(({ pid }) => pid)
    },
    async residentMiB() {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(service.processId)])
      return Number(stdout) / 1_024
    },
    async stop() {
      await pool.end()
      await service.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Writes write-ahead log until PostgreSQL has enough log files to recycle. Before that, PostgreSQL creates, zeroes and syncs new files,
 * which makes the first gigabyte written to a database twice as expensive. The benchmark measures the sustained rate after that.
 */
async function fillWriteAheadLog(pool: Database['pool']): Promise<void> {
  for (let written = 0; written < 72; written += 1) {
    await pool.query(
      `select count(pg_logical_emit_message(false, 'benchmark', repeat('x', 1048576))) from generate_series(1, 16)`,
    )
  }
  await pool.query('checkpoint')
}

/** Runs `work` in one transaction. */
export function runInTransaction(db: Database, work: Parameters<typeof inTransaction<void>>[2]): Promise<void> {
  return inTransaction(db, {}, work)
}

/** Empties the webhook tables. Returns false after a deadlock with the service's worker; the caller then tries again. */
async function truncate(pool: Database['pool']): Promise<boolean> {
  try {
    await pool.query('truncate webhooks, events, delivery_history cascade')
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '40P01') return false
    throw error
  }
}
