import { createHash, randomBytes } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool, type PoolConfig } from 'pg'
import { migrate } from '../../src/platform/db/migrate.ts'
import { readMigrations } from '../../src/platform/db/newer-version.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'
import { fastestFolder } from './embedded-postgres-fixture.ts'
import { holdJobs, releaseJobs } from './scheduled-jobs.ts'
import { ensureTemplate } from './template-database.ts'

/** A migrated database for one test. */
export interface TestDatabase {
  connectionString: string
  /**
   * Drops the database even while clients are connected. If a run ends without dropping its databases, a later run
   * drops them.
   */
  drop(): Promise<void>
}

/** The rows that a test database has from the start. */
export interface InitialContents {
  /** Part of the template's name. Use lower-case letters only. */
  name: string
  /** Inserts the rows and closes every connection that it opened. */
  fill(connectionString: string): Promise<unknown>
}

/**
 * Creates a test database by cloning a template, which takes about 20 ms. Its tables are empty unless `contents` are
 * given. A service on it runs no scheduled jobs unless it `hasSchedule`. Several test processes can do this at once.
 */
export async function createTestDatabase(
  contents?: InitialContents,
  { hasSchedule = false }: { hasSchedule?: boolean } = {},
): Promise<TestDatabase> {
  ready ??= prepare()
  const { template: migrated, connectionTo } = await ready
  const template = contents === undefined ? migrated : await templateOf(contents, migrated, connectionTo)
  const name = `housebill_test_${process.pid}_${randomBytes(5).toString('hex')}`
  const administer = (statement: string) => runStatements(connectionTo('postgres'), statement)
  // Measured on this template: file_copy takes 8 to 15 ms and wal_log 16 to 22 ms, and a wal_log copy takes twice as
  // long to drop.
  await administer(`create database ${name} template ${template} strategy file_copy`)
  if (hasSchedule) await runStatements(connectionTo(name), releaseJobs)
  return {
    connectionString: connectionTo(name),
    drop: () => dropDatabase(connectionTo('postgres'), name),
  }
}

/**
 * The server of `TEST_POSTGRES_URL`, a superuser's connection string, if it is set: scripts/postgres-versions.ts tests
 * other versions with it. Otherwise starts the PostgreSQL server that all test processes of this checkout share, or
 * joins it. The last process to leave stops it; `node
 * --test --test-global-setup=test/support/postgres-for-run.ts` keeps it running for a whole run.
 */
export async function shareTestServer(): Promise<EmbeddedPostgres> {
  const given = process.env.TEST_POSTGRES_URL
  if (given !== undefined)
    return { connectionString: given, dataDirectory: '', pid: undefined, stop: async () => undefined }
  const dataDir = await ownFolder()
  return startEmbeddedPostgres({ dataDir, log: () => undefined, settings: hurried }).catch((error: unknown) => {
    throw new Error(
      `The tests' PostgreSQL server did not start. Delete ${dataDir}, which holds nothing of value, and run the tests again.`,
      {
        cause: error,
      },
    )
  })
}

let ready: ReturnType<typeof prepare> | undefined
const templates = new Map<string, Promise<string>>()

/**
 * Returns the template with these contents. The code under test writes them, so a template is used for only one test
 * run and has the id of that run in its name.
 */
function templateOf({ name, fill }: InitialContents, from: string, connectionTo: ConnectionTo): Promise<string> {
  const run = process.env.TEST_RUN ?? String(process.pid)
  const template =
    templates.get(name) ?? ensureTemplate({ name: `housebill_test_${run}_${name}`, from, connectionTo, fill })
  templates.set(name, template)
  return template
}

type ConnectionTo = (database: string) => string

/** Settings that make the server faster but lose data in a power cut. Killing a process loses nothing. */
const hurried = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
  // A test rarely runs a statement more than five times on one connection, and PostgreSQL plans each of the first five.
  plan_cache_mode: 'force_generic_plan',
}

async function prepare(): Promise<{ template: string; connectionTo: ConnectionTo }> {
  const server = await shareTestServer()
  // The server does not keep this process alive, so this runs when the tests are over.
  process.once('beforeExit', () => server.stop())
  const connectionTo = (database: string) => {
    const url = new URL(server.connectionString)
    url.pathname = `/${database}`
    return url.href
  }
  const migrations = await readMigrations('sandbox')
  const content = migrations.map(({ name, sha256 }) => `${name} ${sha256}\n`).join('') + holdJobs
  const template = await ensureTemplate({
    name: `housebill_template_${createHash('sha256').update(content).digest('hex').slice(0, 16)}`,
    connectionTo,
    async fill(connectionString) {
      await migrate(connectionString, migrations)
      await runStatements(connectionString, holdJobs)
    },
  })
  return { template, connectionTo }
}

/** The server's folder. Each user has one for each checkout, and it is kept between runs. */
async function ownFolder(): Promise<string> {
  const user = process.geteuid?.() ?? 0
  const checkout = createHash('sha256')
    .update(import.meta.url)
    .digest('hex')
    .slice(0, 12)
  const folder = join(fastestFolder, `housebill-tests-${user}-${checkout}`)
  await mkdir(folder, { recursive: true, mode: user === 0 ? 0o711 : 0o700 })
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== user)
    throw new Error(`${folder} belongs to another user: remove it, or set TMPDIR.`)
  return folder
}

/** By connection string, so that all who ask for the same share one. */
const keptPools = new Map<string, Pool>()

/**
 * Returns a pool that ends before its database is dropped and does not keep the process running, so there is nothing to
 * close. Its connections stay open for a while: opening one takes more processor time than ten queries.
 */
export function keepPool(config: PoolConfig & { connectionString: string }): Pool {
  const kept = keptPools.get(config.connectionString)
  if (kept !== undefined) return kept
  const pool = new Pool({ ...config, pipeline: true, allowExitOnIdle: true })
  // Some tests cut connections, or drop the database while one is open.
  pool.on('error', () => undefined)
  keptPools.set(config.connectionString, pool)
  return pool
}

async function endKeptPools(database: string): Promise<void> {
  const own = [...keptPools].filter(([connectionString]) => new URL(connectionString).pathname === `/${database}`)
  for (const [connectionString] of own) keptPools.delete(connectionString)
  await Promise.all(own.map(([, pool]) => pool.end()))
}

/**
 * Drops a database. First gives its closing connections half a second, because a connection that is terminated while it
 * closes emits an error that nothing handles.
 */
async function dropDatabase(connectionString: string, name: string): Promise<void> {
  await endKeptPools(name)
  const client = new Client({ connectionString })
  await client.connect()
  try {
    for (let round = 0; round < 50; round += 1) {
      const { rows } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [name])
      if (rows.length === 0) break
      await sleep(10)
    }
    await client.query(`drop database if exists ${name} with (force)`)
  } finally {
    await client.end()
  }
}

/** Runs statements, without parameters, on a connection of their own. */
export async function runStatements(connectionString: string, statements: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(statements).finally(() => client.end())
}
