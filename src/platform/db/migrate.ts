import type { Client } from 'pg'
import { ensureRuntimeRoles } from './ensure-runtime-roles.ts'
import { MigrationError } from './migration-error.ts'
import { type Migration, readMigrations } from './newer-version.ts'
import { readServerVersion, requireServerVersion } from './server-version.ts'
import { withClient } from './with-client.ts'

/** The key of the migrations' advisory lock: an arbitrary number that nothing else uses in this database. */
const migrationLock = 7_208_451_993

/**
 * Brings the database up to date and returns the names of the applied migrations. Each runs in its own transaction; if
 * several processes start at the same time, one migrates and the others wait. Throws ServerVersionError if the server
 * is too old, and MigrationError if the file of an applied migration has changed, if the database is newer than this
 * program, or if the runtime roles cannot be created.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const migrations = await readMigrations()
  return withClient(connectionString, async (client) => {
    requireServerVersion(await readServerVersion(client))
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const applied = await readApplied(client)
    rejectUnknown(applied, migrations)
    const pending = migrations.filter((migration) => !applied.has(migration.name))
    await ensureRuntimeRoles(client, await getSessionUser(client))
    for (const { name, text, sha256 } of pending) {
      await apply(client, `Migration ${name}`, async () => {
        // This commit need not wait for the disk: the last one below waits for all. After a crash, what is missing is
        // applied again.
        await client.query('set local synchronous_commit = off')
        await client.query(text)
        await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
      })
    }
    return pending.map(({ name }) => name)
  })
}

/**
 * Throws MigrationError, with this remedy, unless the database has exactly the migrations of this program. Neither a
 * command nor a process that joins running ones migrates: the running ones would stop working.
 */
export async function requireMigrated(connectionString: string, remedy: string): Promise<void> {
  const migrations = await readMigrations()
  const applied = await withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ exists: boolean }>(
      `select to_regclass('schema_migrations') is not null as exists`,
    )
    return rows[0]?.exists === true ? readApplied(client) : new Map<string, string>()
  })
  if (applied.size === 0) throw new MigrationError(`The database has none of Housebill's tables. ${remedy}`)
  rejectUnknown(applied, migrations)
  const pending = migrations.find(({ name }) => !applied.has(name))
  if (pending === undefined) return
  throw new MigrationError(
    `This version of Housebill has the migration ${pending.name}, which the database does not have. ${remedy}`,
  )
}

async function readApplied(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations')
  return new Map(rows.map((row) => [row.name, row.sha256]))
}

/** The name of the login, even if the connection string sets a role. */
export async function getSessionUser(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select session_user as name')
  const name = rows[0]?.name
  if (name === undefined) throw new Error('PostgreSQL did not return session_user')
  return name
}

function rejectUnknown(applied: Map<string, string>, migrations: readonly Migration[]): void {
  for (const [name, sha256] of applied) {
    const known = migrations.find((migration) => migration.name === name)
    if (known === undefined) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Housebill does not have. Run the version that applied it, or a newer one.`,
      )
    }
    if (known.sha256 !== sha256) {
      throw new MigrationError(
        `Migration ${name} was changed after it was applied to this database. Restore the file, and make changes in a new migration.`,
      )
    }
  }
}

async function apply(client: Client, title: string, statements: () => Promise<unknown>): Promise<void> {
  await client.query('begin')
  try {
    await statements()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new MigrationError(`${title} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
