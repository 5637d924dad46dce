import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ensureRuntimeRoles } from '../../src/db/ensure-runtime-roles.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readMigrations } from '../../src/db/read-migrations.ts'
import { scopes } from '../../src/domain/auth/scopes.ts'
import { startOwnCluster } from '../isolation/own-cluster.ts'
import { withClient } from '../isolation/owned-tables.ts'

/*
 * Migration 0056 gives the export and PSR details scopes of their own. It runs as an owner who is not a superuser, and who sees no rows
 * while row-level security is forced.
 */
const migrationName = '0056-narrower-scopes.sql'
const earlierScopes = scopes.filter((scope) => scope !== 'customers:export' && scope !== 'psr:read')
const cluster = await startOwnCluster()
after(() => cluster.stop())

test('an upgrade grants the new scopes to credentials that had every scope, and to no others', async () => {
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
  const before: Record<string, readonly string[]> = {
    everything: earlierScopes,
    'in another order': earlierScopes.toReversed(),
    reports: ['customers:read', 'quotes:read'],
    'without the sandbox': earlierScopes.filter((scope) => scope !== 'sandbox:steer'),
  }
  await withClient(connectionString, async (superuser) => {
    await superuser.query(`set session_replication_role = replica`)
    await superuser.query(`insert into partners (partner_id, name) values ('partner_1', 'One')`)
    for (const [clientId, held] of Object.entries(before))
      await superuser.query(`insert into credentials (client_id, partner_id, scopes) values ($1, 'partner_1', $2)`, [
        clientId,
        held,
      ])

    await migrate(ownerUrl)

    const { rows } = await superuser.query<{ client_id: string; scopes: string[] }>(
      'select client_id, scopes from credentials',
    )
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.client_id, row.scopes])), {
      ...before,
      everything: [...scopes],
      'in another order': [...scopes],
    })
  })
})
