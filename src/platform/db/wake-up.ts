import type { Client } from 'pg'
import type { Logger } from 'pino'
import { newId } from '../kernel/ids.ts'
import type { Database, Queryable } from './database.ts'
import { connectClient, keepAliveInitialDelayMillis } from './hosts.ts'
import { sql } from './sql.ts'

/** Notifies every process that listens on this channel, including this one. */
async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.query(sql`select pg_notify(${channel}, ${payload})`)
}

/** The name of the connection that every server keeps to be woken up. */
export const wakeUpApplication = 'housebill wake-up'

interface WakeUpListener {
  /**
   * Whether a notification has arrived on the current connection. Behind a connection pooler, this may stay false for
   * ever, because poolers can swallow notifications.
   */
  readonly receivesNotifications: boolean
  /**
   * Notifies the other processes of this work. Everything announced within `announceMs` is sent in one notification.
   */
  announce(kinds: Iterable<string>): void
  close(): Promise<void>
}

interface WakeUpOptions {
  db: Database
  connectionString: string
  channel: string
  /**
   * Called with the kinds of work that another process announced; with undefined after every (re)connect, because
   * announcements may have been missed.
   */
  onWake(kinds: readonly string[] | undefined): void
  log: Logger
}

const reconnectMs = 1_000
/**
 * Each commit that notifies costs PostgreSQL a flush to disk, so announcements made within this time share one commit.
 */
const announceMs = 20
/** How long the first notification of a connection may take until the log says that none arrives. */
const firstNotificationMs = 8_000

const deafness =
  'notifications of PostgreSQL do not arrive, as behind a connection pooler; looking for work every second instead. Let DATABASE_DIRECT_URL lead to PostgreSQL itself'

/**
 * Listens on a PostgreSQL channel over its own connection, and reconnects whenever it is lost. Sends itself a
 * notification on every connection to test it. Notifications are only hints: users of this module must also poll.
 */
export function listenForWakeUps({ db, connectionString, channel, onWake, log }: WakeUpOptions): WakeUpListener {
  const ownId = newId('claim')
  const announced = new Set<string>()
  let receivesNotifications = false
  let closed = false
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined
  let announcing: NodeJS.Timeout | undefined
  let doubting: NodeJS.Timeout | undefined
  let notifying: Promise<void> = Promise.resolve()

  async function connect(): Promise<void> {
    if (closed) return
    let own: Client | undefined
    let lost = false
    const lose = (error?: Error) => {
      if (lost || closed) return
      lost = true
      receivesNotifications = false
      clearTimeout(doubting)
      log.warn({ err: error }, 'wake-up connection to PostgreSQL lost; polling until it is back')
      // The connection is already broken, so an error while closing it tells us nothing new.
      own?.end().catch(() => undefined)
      retry = setTimeout(() => {
        connecting = connect()
      }, reconnectMs)
    }
    try {
      own = await connectClient({
        connectionString,
        application_name: wakeUpApplication,
        keepAlive: true,
        keepAliveInitialDelayMillis,
      })
      client = own
      own.on('error', lose)
      own.on('end', () => lose())
      own.on('notification', ({ payload = '' }) => {
        receivesNotifications = true
        clearTimeout(doubting)
        const [sender, kinds = ''] = payload.split(' ')
        if (sender !== ownId) onWake(kinds.split(','))
      })
      await own.query(`listen ${own.escapeIdentifier(channel)}`)
      onWake(undefined)
      doubting = setTimeout(() => log.warn(deafness), firstNotificationMs)
      send([])
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)))
    }
  }

  function send(kinds: readonly string[]): void {
    notifying = notify(db, channel, `${ownId} ${kinds.join()}`).catch((error: unknown) =>
      log.warn({ err: error }, 'other processes could not be notified; they will find the work when they poll'),
    )
  }

  let connecting = connect()
  return {
    get receivesNotifications() {
      return receivesNotifications
    },
    announce(kinds) {
      for (const kind of kinds) announced.add(kind)
      announcing ??= setTimeout(() => {
        announcing = undefined
        send([...announced])
        announced.clear()
      }, announceMs)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      clearTimeout(announcing)
      await connecting
      clearTimeout(doubting)
      await Promise.all([notifying, client?.end()])
    },
  }
}
