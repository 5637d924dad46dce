import type { Client } from 'pg'

/**
 * Thrown if the database and this program's migrations do not match. The message is for the operator and says how to
 * fix it.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * Thrown if the database server is too old. The message is for the operator and says which version is needed and found.
 */
export class ServerVersionError extends Error {
  override readonly name = 'ServerVersionError'
}

/** The oldest major version of PostgreSQL that Housebill runs on. */
const oldestServerVersion = 16

/** A server's version, as its settings `server_version_num` and `server_version` say. */
interface ServerVersion {
  number: number
  text: string
}

/** The version of the connected server. Every version of PostgreSQL understands the statement. */
export async function readServerVersion(client: Client): Promise<ServerVersion> {
  const { rows } = await client.query<ServerVersion>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  )
  const [version] = rows
  if (version === undefined) throw new Error('PostgreSQL did not return its version')
  return version
}

/**
 * Throws ServerVersionError for a server older than PostgreSQL 16. Check it before any other statement, which could
 * fail obscurely.
 */
export function requireServerVersion({ number, text }: ServerVersion): void {
  if (Math.floor(number / 10_000) >= oldestServerVersion) return
  throw new ServerVersionError(
    `Housebill needs PostgreSQL ${oldestServerVersion} or newer, but the server is PostgreSQL ${text}. Upgrade it, or set DATABASE_URL to a newer server.`,
  )
}
