import { Client, type ClientBase, type ClientConfig, DatabaseError, type QueryConfig } from 'pg'
import { urlPerHost } from '../config/database-urls.ts'

/** As long as the pools wait for a connection. */
export const connectWithinMs = 5_000

/** How long a connection is silent before the operating system asks whether the server is still there. */
export const keepAliveInitialDelayMillis = 10_000

/** Thrown if a server is a standby, or otherwise read-only, and `target_session_attrs=read-write` asks for another. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError'
}

/** The hosts of a connection string, and the place of the one that is tried next. */
interface Hosts {
  readonly urls: readonly string[]
  next: number
}

const known = new Map<string, Hosts>()

function hostsOf(connectionString: string): Hosts {
  const hosts = known.get(connectionString) ?? { urls: urlPerHost(connectionString), next: 0 }
  known.set(connectionString, hosts)
  return hosts
}

/** A connection to one of the hosts of a connection string: the one that worked last, or the first. */
export class HostClient extends Client {
  constructor({ connectionString = '', ...config }: ClientConfig = {}) {
    const { urls, next } = hostsOf(connectionString)
    const url = urls[next] ?? connectionString
    super({ ...config, connectionString: url, connectionTimeoutMillis: connectWithinMs / urls.length })
  }
}

/**
 * Calls `connect`, which connects a `HostClient`, at most once for each host. A host that rejects the login ends the
 * search: the others would reject it too. Throws the driver's last error, or that a server is read-only.
 */
export async function tryHosts<Connected>(
  connectionString: string,
  connect: () => Promise<Connected>,
): Promise<Connected> {
  const hosts = hostsOf(connectionString)
  let failure: unknown
  for (let left = hosts.urls.length; ; left -= 1) {
    const tried = hosts.next
    try {
      return await connect()
    } catch (error) {
      if (!leadsToNext(error)) throw error
      // Others who tried the same host may have gone on already.
      if (hosts.next === tried) hosts.next = (tried + 1) % hosts.urls.length
      if (!(failure instanceof ReadOnlyServerError)) failure = error
      if (left <= 1) throw failure
    }
  }
}

/** Connects outside the pools. */
export function connectClient({
  connectionString,
  ...config
}: ClientConfig & { connectionString: string }): Promise<Client> {
  return tryHosts(connectionString, async () => {
    const client = new HostClient({ connectionString, ...config })
    // The statement that fails because of a lost connection reports it; without a listener, this would end the process.
    client.on('error', () => undefined)
    try {
      await client.connect()
      await requireWritable(client, connectionString)
      return client
    } catch (error) {
      // Not awaited: a server that hangs never closes the connection.
      client.end().catch(() => undefined)
      throw error
    }
  })
}

/** Throws ReadOnlyServerError if the connection string asks for a server that accepts writes, and this one does not. */
export async function requireWritable(client: ClientBase, connectionString: string): Promise<void> {
  if (!/[?&]target_session_attrs=read-write\b/.test(connectionString)) return
  const question = { text: 'show transaction_read_only', query_timeout: connectWithinMs } as QueryConfig
  const { rows } = await client.query<{ transaction_read_only: string }>(question)
  if (rows[0]?.transaction_read_only === 'off') return
  throw new ReadOnlyServerError('no server of the connection string accepts writes (target_session_attrs=read-write)')
}

/**
 * Whether another host may do better: this one is read-only, cannot be reached, or is starting or stopping. A pool
 * without a free connection says nothing about the host.
 */
function leadsToNext(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith('57P') === true
  return error instanceof Error && error.message !== 'timeout exceeded when trying to connect'
}

/**
 * Runs `work` on a connection of its own, outside the pools. Throws if the server does not respond within five seconds.
 */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient({ connectionString, application_name: 'housebill migrate' })
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
