import { execFile } from 'node:child_process'
import { readFile, rm, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Client, DatabaseError } from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/private-postgres/start-embedded.ts'
import { createFolder } from '../../support/embedded-postgres-fixture.ts'
import type { TestDatabase } from '../../support/postgres.ts'

const run = promisify(execFile)

/** A PostgreSQL server for one test file. A test can take away its resources and give them back while it runs. */
export interface ExhaustibleServer {
  /** A database for one service. Its connection string logs in as the superuser. */
  database: TestDatabase
  /**
   * Makes the kernel reject writes that would make a file larger than this, as if a quota were full. Undefined lifts
   * the limit. Linux only.
   */
  limitFiles(bytes: number | undefined): Promise<void>
  /** Takes every connection, including those of the service. Call the returned function to give them back. */
  takeConnections(): Promise<() => Promise<void>>
  /** Terminates the service's connections and returns how many there were. */
  cutConnections(): Promise<number>
  /** Runs a statement as the superuser and returns the first row of its result. */
  ask(statement: string): Promise<Record<string, unknown> | undefined>
  stop(): Promise<void>
}

export async function startExhaustibleServer(): Promise<ExhaustibleServer> {
  const folder = await createFolder()
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: () => undefined,
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: '40', autovacuum: 'off' },
  })
  const ask = async (statement: string) => {
    const client = await connect(server.connectionString)
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement)
      return rows[0]
    } finally {
      await client.end()
    }
  }
  return {
    database: { connectionString: server.connectionString, drop: async () => undefined },
    limitFiles: (bytes) => limitFiles(server, bytes),
    takeConnections: () => takeConnections(server),
    cutConnections: async () => {
      const client = await connect(server.connectionString)
      return cutConnections(client).finally(() => client.end())
    },
    ask,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sets the soft limit on file size for the postmaster and each of its existing children. Later children inherit it. */
async function limitFiles({ pid }: EmbeddedPostgres, bytes: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('the server process is unknown')
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean)
  // Run as the server's user, because in a container root may not be permitted to do this.
  const { uid, gid } = await stat(`/proc/${pid}`)
  for (const each of [String(pid), ...children])
    await run('prlimit', ['--pid', each, `--fsize=${bytes ?? 'unlimited'}:`], { uid, gid }).catch((error: unknown) => {
      // This child has ended in the meantime, because the connection it served was closed.
      if (!String(error).includes('No such process')) throw error
    })
}

async function takeConnections({ connectionString }: EmbeddedPostgres): Promise<() => Promise<void>> {
  const first = await connect(connectionString)
  const taken = [first]
  // The service may reconnect before this function takes the freed connection, so both steps are repeated.
  do {
    while (await takeAnother(connectionString, taken));
  } while ((await cutConnections(first)) > 0)
  return async () => {
    await Promise.all(taken.map((client) => client.end()))
  }
}

async function takeAnother(connectionString: string, taken: Client[]): Promise<boolean> {
  try {
    taken.push(await connect(connectionString))
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '53300') return false
    throw error
  }
}

async function cutConnections(client: Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name like 'housebill%'
        and application_name not like 'housebill hold%' and pid <> pg_backend_pid()`,
  )
  return rowCount ?? 0
}

async function connect(connectionString: string): Promise<Client> {
  // This must work even while the database is read-only for others.
  const client = new Client({ connectionString, options: '-c default_transaction_read_only=off' })
  await client.connect()
  return client
}
