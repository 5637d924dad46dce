import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { programFailure } from './embedded-postgres-error.ts'
import { processExists } from './process-life.ts'
import { databaseName, socketConnectionString } from './server-settings.ts'

/** The advisory lock, in the database `postgres`, that every process using the server holds in shared mode. */
const lock = '72084519, 1'

/** The prefix of a holder's application name; the process id follows. See `listHolders`. */
const applicationPrefix = 'housebill hold '

/**
 * One process's use of the server: a connection that holds an advisory lock in shared mode. However the process dies,
 * its connection and lock end with it, so nothing stale is left to clean up.
 */
export interface Hold {
  /** A promise that settles when the connection to the server is lost. */
  readonly lost: Promise<void>
  /**
   * Releases this process's hold. Returns true if no other process is using the server: this connection then holds the
   * lock exclusively, new users wait, and the server can be stopped safely.
   */
  release(): Promise<boolean>
  /** Closes the connection. */
  close(): Promise<void>
}

/**
 * - `absent`: nothing listens on the socket.
 * - `busy`: a server is starting, recovering or stopping.
 * - `silent`: something listens but does not respond.
 */
export type HoldAttempt = Hold | 'absent' | 'busy' | 'silent'

/** Tries once to connect to the server behind a socket, and creates Housebill's database if it does not exist yet. */
export async function tryToHold(socketFolder: string, respondWithinMs: number): Promise<HoldAttempt> {
  const socket = new Socket()
  const client = new Client({
    connectionString: socketConnectionString(socketFolder, 'postgres'),
    application_name: `${applicationPrefix}${process.pid}`,
    connectionTimeoutMillis: respondWithinMs,
    stream: () => socket,
  })
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve)
    client.on('error', () => resolve())
  })
  try {
    await client.connect()
    await client.query(`select pg_advisory_lock_shared(${lock})`)
    await ensureDatabase(client)
  } catch (error) {
    socket.destroy()
    return judge(error)
  }
  // Otherwise, the open socket would keep the process running if the caller forgets to release the hold.
  socket.unref()
  return {
    lost,
    release: async () => {
      socket.ref()
      await client.query(`select pg_advisory_unlock_shared(${lock})`)
      return tryToLockExclusively(client)
    },
    close: () => client.end(),
  }
}

/**
 * Takes the lock exclusively if possible, and returns whether it did. Gives up at once if another running process holds
 * the lock. If the holder was killed, waits briefly, because the server needs a moment to notice that.
 */
async function tryToLockExclusively(client: Client): Promise<boolean> {
  const deadline = performance.now() + 2_000
  for (;;) {
    const { rows } = await client.query<{ alone: boolean }>(`select pg_try_advisory_lock(${lock}) as alone`)
    if (rows[0]?.alone === true) return true
    if ((await listHolders(client)).some(processExists) || performance.now() > deadline) return false
    await sleep(10)
  }
}

async function listHolders(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity where starts_with(application_name, $1)
     and pid <> pg_backend_pid()`,
    [applicationPrefix],
  )
  return rows.map(({ name }) => Number(name.slice(applicationPrefix.length)))
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
  if (rowCount !== 0) return
  try {
    await client.query(`create database ${databaseName}`)
  } catch (error) {
    // Another process may have created it at the same moment.
    if (!(error instanceof DatabaseError) || (error.code !== '42P04' && error.code !== '23505')) throw error
  }
}

function judge(error: unknown): 'absent' | 'busy' | 'silent' {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent'
  // The server is starting or stopping, an administrator ended the connection, or it broke while the server was
  // stopping.
  if (code === '57P03' || code === '57P01' || code === '57P02' || code === 'ECONNRESET' || code === 'EPIPE')
    return 'busy'
  if (error instanceof Error && /timeout expired/.test(error.message)) return 'silent'
  // If the connection is lost between two statements, the driver reports it like this.
  if (
    error instanceof Error &&
    /Connection terminated|encountered a connection error|Client was closed/.test(error.message)
  )
    return 'busy'
  throw error instanceof DatabaseError
    ? programFailure('The private PostgreSQL is running, but rejects the connection', error.message)
    : error
}
