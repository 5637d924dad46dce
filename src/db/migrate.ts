import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'

const migrationsFolder = new URL('../../migrations/', import.meta.url)

/** Any number that nobody else uses for an advisory lock on this database. */
const migrationLock = 7_208_451_993

/** The database and this program's migrations do not go together. The message is for the operator and names the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

interface Migration {
  name: string
  text: string
  sha256: string
}

/** The numbered migrations, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, migrationsFolder), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Brings the database up to date and returns the names of the migrations it applied. Each runs in a transaction of its
 * own; several processes may start at once, one migrates and the others wait. Throws MigrationError where an applied migration's file
 * has changed since, or the database knows a later migration than this program does.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const migrations = await readMigrations()
  const client = new Client({ connectionString, application_name: 'housebill migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations')
    const applied = new Map(rows.map((row) => [row.name, row.sha256]))
    refuseUnknown(applied, migrations)
    const pending = migrations.filter((migration) => !applied.has(migration.name))
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

function refuseUnknown(applied: Map<string, string>, migrations: readonly Migration[]): void {
  for (const [name, sha256] of applied) {
    const known = migrations.find((migration) => migration.name === name)
    if (known === undefined) {
      throw new MigrationError(
        `The database has migration ${name}, which this version of Housebill does not know. Run the version that made it, or a newer one.`,
      )
    }
    if (known.sha256 !== sha256) {
      throw new MigrationError(
        `Migration ${name} was changed after it had been applied to this database. Restore the file; put changes into a new migration.`,
      )
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.text)
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [
      migration.name,
      migration.sha256,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new MigrationError(
      `Migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    )
  }
}
