import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, DatabaseError } from 'pg'
import { ensureRuntimeRoles } from './ensure-runtime-roles.ts'
import { withClient } from './hosts.ts'
import { MigrationError, readServerVersion, requireServerVersion } from './migration-error.ts'
import type { Migration } from './newer-version.ts'

/** The key of the migrations' advisory lock: an arbitrary number that nothing else uses in this database. */
const migrationLock = 7_208_451_993
const lockPauseMs = 100
/** How long a migration may wait for a lock, because everybody else who uses the table waits behind it. */
const lockTimeout = '2s'
/** How long a statement may take that is only planned: more than it may wait for a lock, which has its own message. */
const planTimeout = '4s'
/** How long all of them may take together, because locks are held until the last. */
const planMostMs = 10_000
const isTooLong = 'takes too long to be planned here: plan it on a copy of the database'

/**
 * Brings the database up to date and returns the names of the applied migrations. Each runs in its own transaction, so
 * one that fails changes nothing and the next call continues with it; if several processes start at the same time, one
 * migrates and the others wait. Throws ServerVersionError if the server is too old, and MigrationError if one fails, if
 * the file of an applied migration has changed, if the database is newer than this program, or if the runtime roles
 * cannot be created.
 */
export async function migrate(connectionString: string, all: readonly Migration[]): Promise<string[]> {
  return withClient(connectionString, async (client) => {
    requireServerVersion(await readServerVersion(client))
    await lockMigrations(client)
    await client.query(
      `create table if not exists schema_migrations (name text primary key, sha256 text not null,
        expands boolean not null default false, applied_at timestamptz not null default now())`,
    )
    const pending = findPending(await readApplied(client), all)
    await ensureRuntimeRoles(client, await getSessionUser(client))
    for (const migration of pending) {
      if (migration.isConcurrent) await buildIndex(client, migration).catch(failed(migration))
      else await apply(client, migration, migration === pending.at(-1))
    }
    return pending.map(({ name }) => name)
  })
}

/** What a migration would do to others. */
export interface PlannedMigration extends Pick<Migration, 'name' | 'expands' | 'isConcurrent'> {
  /** The locks on tables that exist already, but for those that only reads need. */
  locks: { table: string; mode: string }[]
}

/**
 * The migrations that `migrate` would run, with the locks that PostgreSQL takes for them. Runs them in a transaction
 * that is rolled back, because no reading of the statements would tell as reliably: others wait for the same locks as
 * they would, but not for longer than `mostMs`. Throws MigrationError as `migrate` does.
 */
export async function planMigrations(
  connectionString: string,
  all: readonly Migration[],
  mostMs = planMostMs,
): Promise<PlannedMigration[]> {
  return withClient(connectionString, async (client) => {
    requireServerVersion(await readServerVersion(client))
    const pending = findPending(await readAppliedIfAny(client), all)
    await client.query('begin')
    const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const cancel = () =>
      withClient(connectionString, (other) => other.query('select pg_cancel_backend($1)', [own[0]?.pid]))
    const begun = performance.now()
    // If this comes between two statements or cannot cancel, the next migration is not begun.
    const timer = setTimeout(() => void cancel().catch(() => undefined), mostMs)
    try {
      await client.query(`set local lock_timeout = '${lockTimeout}'; set local statement_timeout = '${planTimeout}'`)
      await ensureRuntimeRoles(client, await getSessionUser(client))
      await client.query(`create table if not exists schema_migrations (name text primary key, sha256 text not null)`)
      const { rows } = await client.query<{ oid: string }>('select oid::text from pg_class')
      const existing = rows.map(({ oid }) => oid)
      const planned: PlannedMigration[] = []
      const known = new Set<string>()
      for (const migration of pending) {
        const { name, expands, isConcurrent } = migration
        if (performance.now() - begun > mostMs) throw new MigrationError(`Migration ${name} ${isTooLong}`)
        if (!isConcurrent) await client.query(migration.text).catch(failed(migration))
        const found = isConcurrent
          ? [{ table: indexOf(migration).table, mode: 'ShareUpdateExclusiveLock' }]
          : await readLocks(client, existing)
        const locks = found.filter(({ table, mode }) => isConcurrent || !known.has(`${table} ${mode}`))
        for (const { table, mode } of locks) known.add(`${table} ${mode}`)
        planned.push({ name, expands, isConcurrent, locks })
      }
      return planned
    } finally {
      clearTimeout(timer)
      await client.query('rollback')
    }
  })
}

async function readLocks(client: Client, tables: readonly string[]): Promise<{ table: string; mode: string }[]> {
  const { rows } = await client.query<{ table: string; mode: string }>(
    `select relname as table, mode from pg_locks join pg_class on pg_class.oid = relation
      where locktype = 'relation' and pid = pg_backend_pid() and relation = any($1::oid[])
        and relkind in ('r', 'p') and relnamespace <> 'pg_catalog'::regnamespace and mode <> 'AccessShareLock'
      order by 1, 2`,
    [tables],
  )
  return rows
}

/**
 * Throws MigrationError, with this remedy, unless this program works with the database as it is. Neither a command nor
 * a process that joins running ones migrates: the running ones would stop working.
 */
export async function requireMigrated(
  connectionString: string,
  migrations: readonly Migration[],
  remedy: string,
): Promise<void> {
  const applied = await withClient(connectionString, readAppliedIfAny)
  if (applied.size === 0) throw new MigrationError(`The database has none of Housebill's tables. ${remedy}`)
  const [pending] = findPending(applied, migrations)
  if (pending === undefined) return
  throw new MigrationError(
    `This version of Housebill has the migration ${pending.name}, which the database does not have. ${remedy}`,
  )
}

type Applied = ReadonlyMap<string, { sha256: string; expands: boolean }>

async function readAppliedIfAny(client: Client): Promise<Applied> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  return rows[0]?.exists === true ? readApplied(client) : new Map()
}

async function readApplied(client: Client): Promise<Applied> {
  const { rows } = await client.query<{ name: string; sha256: string; expands: boolean }>(
    'select name, sha256, expands from schema_migrations',
  )
  return new Map(rows.map((row) => [row.name, row]))
}

/** The name of the login, even if the connection string sets a role. */
export async function getSessionUser(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select session_user as name')
  const name = rows[0]?.name
  if (name === undefined) throw new Error('PostgreSQL did not return session_user')
  return name
}

/** The migrations that are not applied. Throws MigrationError if those that are do not match this program. */
function findPending(applied: Applied, migrations: readonly Migration[]): Migration[] {
  for (const [name, { sha256, expands }] of applied) {
    const known = migrations.find((migration) => migration.name === name)
    if (known === undefined && !expands) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Housebill does not have. Run the version that applied it, or a newer one.`,
      )
    }
    if (known !== undefined && known.sha256 !== sha256) {
      throw new MigrationError(
        `Migration ${name} was changed after it was applied to this database. Restore the file, and make changes in a new migration.`,
      )
    }
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

/** Asks again and again: whoever waits inside PostgreSQL has a snapshot, for which building an index would wait. */
async function lockMigrations(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [
      migrationLock,
    ])
    if (rows[0]?.isMine === true) return
    await sleep(lockPauseMs)
  }
}

async function apply(client: Client, migration: Migration, isLast: boolean): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '${lockTimeout}'`)
    // Only the last commit waits for the disk and a standby, and so for those before it.
    if (!isLast) await client.query('set local synchronous_commit = off')
    await client.query(migration.text)
    await record(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    failed(migration)(error)
  }
}

/** Builds the index, also if an attempt before has left one that is not valid. */
async function buildIndex(client: Client, migration: Migration): Promise<void> {
  const { index } = indexOf(migration)
  const { rows } = await client.query<{ isValid: boolean }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)`,
    [index],
  )
  if (rows[0]?.isValid === false) await client.query(`drop index concurrently ${client.escapeIdentifier(index)}`)
  if (rows[0]?.isValid !== true) await client.query(migration.text)
  await record(client, migration)
}

/** The index and the table of the only statement of a concurrent migration. */
function indexOf({ name, text }: Migration): { index: string; table: string } {
  const statement = /^(?:--.*\n|\s)*create (?:unique )?index concurrently (\w+)\s+on (\w+)[^;]*;\s*$/i.exec(text)
  const [, index, table] = statement ?? []
  if (index === undefined || table === undefined)
    throw new MigrationError(
      `Migration ${name} may only have one statement, "create index concurrently NAME on TABLE …;", because it does not run in a transaction.`,
    )
  return { index, table }
}

async function record(client: Client, { name, sha256, expands }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (name, sha256, expands) values ($1, $2, $3)', [
    name,
    sha256,
    expands,
  ])
}

/** Turns an error into one that names the migration. */
function failed({ name }: Migration): (error: unknown) => never {
  return (error) => {
    if (error instanceof MigrationError) throw error
    const code = error instanceof DatabaseError ? error.code : undefined
    const happened =
      code === '55P03'
        ? `waited ${lockTimeout} for a lock that another transaction has, and has changed nothing. End that transaction or wait for it, and run it again`
        : code === '57014'
          ? isTooLong
          : `failed: ${error instanceof Error ? error.message : String(error)}`
    throw new MigrationError(`Migration ${name} ${happened}`, { cause: error })
  }
}
