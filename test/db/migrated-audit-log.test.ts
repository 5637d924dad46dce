import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { listAuditSeals } from '../../src/domain/audit/audit-seals.store.ts'
import { verifyAuditLog } from '../../src/domain/audit/verify-audit-log.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'
import { sealEverything } from '../support/audit-seals.ts'
import { openDatabases } from '../support/databases.ts'

/*
 * Migration 0115 makes the table of audit entries a partition. It runs as an owner who is not a superuser, whom row-level security limits too.
 */
const migrationName = '0115-audit-log-by-month.sql'
const database = await createDatabaseBefore(migrationName)
after(() => database.stop())
const { connectionString, ownerUrl } = database

test('an audit log from before months keeps its entries, numbers and seals, and goes on in the partitions of its months', async () => {
  await withClient(connectionString, async (superuser) => {
    const rows = async (text: string) => (await superuser.query(text)).rows
    await rows(`insert into partners (partner_id, name) values ('partner_a', 'A'), ('partner_b', 'B')`)
    await rows('select seal_audit_log()')
    await rows(`update partners set name = name || '!' where partner_id = 'partner_a'`)
    const entries = () => rows('select * from audit_log order by entry_number')
    const before = await entries()
    assert.equal(before.length, 3)

    assert.ok((await migrate(ownerUrl)).includes(migrationName))

    assert.deepEqual(await entries(), before)
    const databases = await openDatabases(connectionString)
    const [seal] = await listAuditSeals(databases.forPartner('partner_a'), 'partner_a', { after: 0, limit: 1 })
    assert.deepEqual(seal?.firstEntryAt, seal?.lastEntryAt, 'a seal from before says when its last entry was written')
    await rows(`update partners set name = name || '!' where partner_id = 'partner_b'`)
    await rows(`insert into audit_log (partner_id, at, actor, action, subject_type, subject_id)
                select 'partner_b', date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '40 days', 'worker', 'changed', 'partner', 'next month'`)
    const numbers = (await entries()).map(({ entry_number: number }) => Number(number))
    assert.deepEqual(numbers.slice(-2), [(numbers[2] ?? 0) + 1, (numbers[2] ?? 0) + 2])
    await sealEverything(databases.system)
    const verified = await verifyAuditLog({ databases }, [])
    assert.deepEqual(
      verified.map(({ problems, sealedEntries, unsealedEntries }) => [problems, sealedEntries, unsealedEntries]),
      [
        [[], 2, 0],
        [[], 3, 0],
      ],
    )
    const places = await rows(
      `select regexp_replace(tableoid::regclass::text, '\\d{6}', 'month') as name, count(*)::int as count from audit_log group by 1 order by 1`,
    )
    assert.deepEqual(places, [
      { name: 'audit_log_month', count: 1 },
      { name: 'audit_log_to_month', count: 4 },
    ])
    const made = await rows(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass`,
    )
    assert.equal(made.length, 4, 'the earlier entries, two months and the rest')
    await withClient(ownerUrl, (owner) => owner.query(`select maintain_audit_log(now() - interval '6 years')`))
    assert.equal((await entries()).length, 5)
  })
})
