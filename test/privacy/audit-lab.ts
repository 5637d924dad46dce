import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { dropOldAuditMonths } from '../../src/platform/audit/audit-log.store.ts'
import { openDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/postgres.ts'

const partnerIds = ['partner_a', 'partner_b']

/** A database with two partners. Its statements run as the tables' owner, who may do anything. */
export async function openAuditLab(t: TestContext) {
  const database = await createTestDatabase()
  const clients: Client[] = []
  const connect = async () => {
    const client = new Client({ connectionString: database.connectionString })
    clients.push(client)
    await client.connect()
    return client
  }
  const owner = await connect()
  t.after(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await database.drop()
  })
  const databases = await openDatabases(database.connectionString)
  const rows = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows
  for (const partnerId of partnerIds) await rows('insert into partners (partner_id, name) values ($1, $1)', [partnerId])
  return {
    databases,
    connect,
    rows,
    rename: (partnerId: string, client: Client = owner) =>
      client.query(`update partners set name = name || '!' where partner_id = $1`, [partnerId]),
    /** Adds an entry of so many years ago, which only the owner can do. */
    addOldEntry: (partnerId: string, years: number, subjectId = 'old') =>
      rows(
        `insert into audit_log (partner_id, at, actor, action, subject_type, subject_id)
         values ($1, date_trunc('month', now()) - make_interval(years => $2), 'worker', 'changed', 'partner', $3)`,
        [partnerId, years, subjectId],
      ),
    /** Makes the partition of the month so many years ago. */
    addOldPartition: (years: number) =>
      rows(
        `select make_audit_log_partition((date_trunc('month',
         now() at time zone 'UTC') - make_interval(years => $1))::date)`,
        [years],
      ),
    removeOld: (years = 6) => dropOldAuditMonths(databases.system, years),
    partitions: async () =>
      (
        await rows(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass order by 1`,
        )
      ).map(({ name }) => String(name)),
    /** Does as the owner what the table's triggers reject. */
    tamper: async (text: string) => {
      await rows('alter table audit_log disable trigger user')
      await rows(text)
      await rows('alter table audit_log enable trigger user')
    },
  }
}
