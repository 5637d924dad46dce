import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Pool } from 'pg'
import { type DestinationStream, pino } from 'pino'
import { announceContractVersions } from '../../src/back-office/contract-feed/read-contract-feed.ts'
import {
  type DomainEvent,
  eventPayload,
  eventTypes,
  noLabels,
  type QuoteLabels,
  quoteIdOf,
} from '../../src/events/event.ts'
import type { Caller } from '../../src/partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../src/platform/db/database.ts'
import type { Databases } from '../../src/platform/db/databases.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { createFieldCipher, type FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../src/platform/kernel/ids.ts'
import type { NameResolver } from '../../src/platform/outbound/name-lookup.ts'
import {
  startWebhookWorker,
  type WebhookWorker,
  type WorkerLimits,
} from '../../src/webhooks/delivery/webhook-worker.ts'
import { createWebhook, type NewWebhook } from '../../src/webhooks/endpoints/create-webhook.ts'
import { createWebhookSender } from '../../src/webhooks/sender/webhook-sender.ts'
import { openDatabases } from '../support/databases.ts'
import '../support/loopback-only.ts'
import { createTestDatabase } from '../support/postgres.ts'

/** Resolves every name that a test uses to given addresses; no real name server is queried. */
export function labResolver(names: Record<string, readonly string[]> = {}): NameResolver & { queriedNames: string[] } {
  const queriedNames: string[] = []
  const known: Record<string, readonly string[]> = {
    localhost: ['127.0.0.1'],
    'receiver.test': ['127.0.0.1'],
    ...names,
  }
  return {
    queriedNames,
    async resolve(hostname) {
      queriedNames.push(hostname)
      return known[hostname] ?? []
    },
  }
}

/**
 * An event with a mark in place of its quote's reference, by which tests recognise it. Events of the service store no
 * reference.
 */
export type MarkedEvent = DomainEvent & { data: QuoteLabels }

/** Writes events into the outbox as `recordEvents` does, but with their marks. */
export async function recordMarked(
  tx: Tx,
  { partnerId }: { partnerId: string },
  events: readonly (DomainEvent | MarkedEvent)[],
): Promise<void> {
  for (const event of events)
    await tx.query(sql`
      insert into events (event_id, partner_id, quote_id, type, data)
      values (${newId('event')}, ${partnerId}, ${quoteIdOf(event)}, ${event.type},
              ${JSON.stringify(eventPayload(event, { ...noLabels, ...event.data }))}::json)`)
  tx.wakeAfterCommit('events')
}

export interface WebhookLab {
  /** The worker's access to the database; partners use `databases.forPartner`. */
  db: Database
  databases: Databases
  connectionString: string
  cipher: FieldCipher
  resolver: ReturnType<typeof labResolver>
  caller: Caller
  /** What the worker logged, as JSON lines. */
  logged: string[]
  newPartner(): Promise<Caller>
  register(
    input: Partial<NewWebhook> & { url: string },
    caller?: Caller,
  ): Promise<{ webhookId: Id<'webhook'>; secret: string }>
  /** Commits each event in its own transaction. */
  happen(events: readonly (DomainEvent | MarkedEvent)[], caller?: Caller): Promise<void>
  startWorker(options?: LabWorkerOptions): WebhookWorker
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

interface LabWorkerOptions {
  retrySeconds?: readonly number[]
  requireVerification?: boolean
  limits?: Partial<WorkerLimits>
}

/** Opens a migrated database with one partner, and everything else that webhooks need. It is closed after the test. */
export async function openLab(t: TestContext): Promise<WebhookLab> {
  const { connectionString, drop } = await createTestDatabase()
  const pool = new Pool({ connectionString, max: 6, pipeline: true })
  // Some tests cut the connections of this pool.
  pool.on('error', () => undefined)
  const databases = await openDatabases(connectionString)
  const db = databases.system
  const key = randomBytes(32)
  const cipher = createFieldCipher([{ id: 'test', key }], key)
  const resolver = labResolver()
  const logged: string[] = []
  const stream: DestinationStream = { write: (line) => void logged.push(line) }
  const log = pino({ level: 'debug' }, stream)
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closing) await close()
    await pool.end()
    await drop()
  })

  const newPartner = async (): Promise<Caller> => {
    const partnerId = newId('partner')
    await pool.query('insert into partners (partner_id, name) values ($1, $2)', [partnerId, 'Test'])
    return { partnerId, clientId: 'sb_test', requestId: 'request', now: new Date() }
  }
  const partner = await newPartner()

  return {
    db,
    databases,
    connectionString,
    cipher,
    resolver,
    caller: partner,
    logged,
    newPartner,
    async register(input, caller = partner) {
      const own = databases.forPartner(caller.partnerId)
      const dependencies = { db: own, cipher, resolver, egress: { allowLoopback: true } }
      const { webhook, secret } = await createWebhook(dependencies, caller, { events: eventTypes, ...input })
      return { webhookId: webhook.webhookId, secret }
    },
    async happen(events, caller = partner) {
      const own = databases.forPartner(caller.partnerId)
      for (const event of events) await inTransaction(own, {}, (tx) => recordMarked(tx, caller, [event]))
    },
    startWorker({ retrySeconds = [], requireVerification = false, limits = {} } = {}) {
      const sender = createWebhookSender({ resolver, egress: { allowLoopback: true } })
      const settings = { retrySeconds, requireVerification }
      const worker = startWebhookWorker({
        db,
        connectionString,
        cipher,
        sender,
        announceVersions: announceContractVersions,
        clock: systemClock,
        log,
        settings,
        limits,
      })
      closing.push(async () => {
        await worker.stop(0)
        await sender.close()
      })
      return worker
    },
    rows: async (text, values = []) => (await pool.query(text, values)).rows,
  }
}

/** Creates `count` status changes of one quote, in order. */
export function statusChanges(count: number, quoteId: Id<'quote'> = newId('quote')): MarkedEvent[] {
  const statuses = ['draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated'] as const
  return Array.from({ length: count }, (_, index) => ({
    type: 'quote.status.changed',
    data: {
      quoteId,
      ...{ ...noLabels, reference: `step ${index}` },
      previousStatus: index === 0 ? null : (statuses[(index - 1) % 4] ?? null),
      status: statuses[index % 4] ?? 'draft',
      reason: null,
    },
  }))
}
