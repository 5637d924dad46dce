import { Client } from 'pg'
import type { Logger } from 'pino'

export interface WakeUp {
  close(): Promise<void>
}

interface WakeUpOptions {
  connectionString: string
  channel: string
  /** Called for every notification with what it says, and with nothing after every (re)connect, as notifications may have been missed. */
  onWake(what?: string): void
  log: Logger
}

const reconnectMs = 1_000

/**
 * Listens on a PostgreSQL channel over a connection of its own and connects again whenever it is lost. Only a hint:
 * whoever is woken must also look from time to time, as a pooler in between or an outage swallows notifications.
 */
export function listenForWakeUps({ connectionString, channel, onWake, log }: WakeUpOptions): WakeUp {
  let closed = false
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    if (closed) return
    const own = new Client({
      connectionString,
      application_name: 'housebill wake-up',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    client = own
    let lost = false
    const lose = (error?: Error) => {
      if (lost || closed) return
      lost = true
      log.warn({ err: error }, 'the wake-up connection to PostgreSQL was lost; polling until it is back')
      // It is broken already; how its end goes tells nothing new.
      own.end().catch(() => undefined)
      retry = setTimeout(() => {
        connecting = connect()
      }, reconnectMs)
    }
    own.on('error', lose)
    own.on('end', () => lose())
    own.on('notification', ({ payload }) => onWake(payload))
    try {
      await own.connect()
      await own.query(`listen ${own.escapeIdentifier(channel)}`)
      onWake()
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)))
    }
  }

  let connecting = connect()
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await connecting
      await client?.end()
    },
  }
}
