import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { scopes } from '../../src/domain/auth/scopes.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'

/*
 * Migration 0056 gives the export and PSR details scopes of their own. It runs as an owner who is not a superuser, and who sees no rows
 * while row-level security is forced.
 */
const migrationName = '0056-narrower-scopes.sql'
const earlierScopes = scopes.filter((scope) => scope !== 'customers:export' && scope !== 'psr:read')
const database = await createDatabaseBefore(migrationName)
after(() => database.stop())
const { connectionString, ownerUrl } = database

test('an upgrade grants the new scopes to credentials that had every scope, and to no others', async () => {
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
