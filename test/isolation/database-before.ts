import { ensureRuntimeRoles } from '../../src/db/ensure-runtime-roles.ts'
import { readMigrations } from '../../src/db/read-migrations.ts'
import { startOwnCluster } from './own-cluster.ts'
import { withClient } from './owned-tables.ts'

/** A database to be upgraded. Its owner is not a superuser, so forced row-level security hides partners' rows from it. */
interface EarlierDatabase {
  /** As a superuser. */
  connectionString: string
  ownerUrl: string
  stop(): Promise<void>
}

/** Creates a database on a server of its own, with all migrations before this one. Stop it when the tests of the file have ended. */
export async function createDatabaseBefore(migrationName: string): Promise<EarlierDatabase> {
  const cluster = await startOwnCluster()
  await cluster.administer('create role bills_owner login createrole')
  const { connectionString } = await cluster.createDatabase('bills', 'bills_owner')
  const ownerUrl = cluster.connectionTo('bills', 'bills_owner')
  await withClient(ownerUrl, async (owner) => {
    await owner.query(
      'create table schema_migrations (name text primary key, sha256 text, applied_at timestamptz default now())',
    )
    await ensureRuntimeRoles(owner, 'bills_owner')
    for (const { name, text, sha256 } of (await readMigrations()).filter(({ name }) => name < migrationName)) {
      await owner.query(text)
      await owner.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
    }
  })
  return { connectionString, ownerUrl, stop: () => cluster.stop() }
}
