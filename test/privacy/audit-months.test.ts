import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { dropOldAuditMonths } from '../../src/platform/audit/audit-log.store.ts'
import { openDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/postgres.ts'

/** A database with a partner. Its statements run as the tables' owner, who may do anything. */
async function openAuditLab(t: TestContext) {
  const database = await createTestDatabase()
  const owner = new Client({ connectionString: database.connectionString })
  await owner.connect()
  t.after(async () => {
    await owner.end()
    await database.drop()
  })
  const databases = await openDatabases(database.connectionString)
  const rows = async (text: string, values: unknown[] = []) => (await owner.query(text, values)).rows
  await rows(`insert into partners (partner_id, name) values ('partner_a', 'A')`)
  return {
    databases,
    rows,
    rename: (partnerId: string) =>
      owner.query(`update partners set name = name || '!' where partner_id = $1`, [partnerId]),
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

const subjects = `select subject_id from audit_log where subject_type = 'partner' and actor = 'worker'
  order by entry_number`

test('a month leaves as a whole once it is old enough', async (t) => {
  const lab = await openAuditLab(t)
  for (const years of [8, 7]) {
    await lab.addOldPartition(years)
    await lab.addOldEntry('partner_a', years, `of ${years} years ago`)
  }
  const [old = '', next = ''] = await lab.partitions()
  assert.equal(await lab.removeOld(7), 1)
  const partitions = await lab.partitions()
  assert.ok(!partitions.includes(old) && partitions.includes(next))
  assert.deepEqual(await lab.rows(subjects), [{ subject_id: 'of 7 years ago' }])
  assert.equal(await lab.removeOld(7), 0)
})

test('PostgreSQL refuses to drop what is younger than six years, and lets only the system role ask', async (t) => {
  const lab = await openAuditLab(t)
  const since = (time: string) => `select maintain_audit_log(${time})`
  const ask = (role: string, time: string) => lab.rows(`set role ${role}; ${since(time)}; reset role`)
  for (const time of [`now() - interval '6 years' + interval '1 second'`, 'now()', `'infinity'`, 'null']) {
    await assert.rejects(ask('housebill_system', time), /kept for six years at least/, time)
    await lab.rows('reset role')
  }
  await assert.rejects(dropOldAuditMonths(lab.databases.system, 5))
  await ask('housebill_system', `now() - interval '6 years'`)
  await assert.rejects(ask('housebill_app', `now() - interval '9 years'`), /permission denied/)
  await lab.rows('reset role')
})

test('entries of a month without a partition are kept in the default partition, which leaves once all of them are old', async (t) => {
  const lab = await openAuditLab(t)
  const thisMonth = (await lab.partitions())[0] ?? ''
  await lab.tamper(`alter table audit_log detach partition ${thisMonth}; drop table ${thisMonth}`)
  await lab.rename('partner_a')
  const inOther = async () => (await lab.rows('select count(*)::int as count from audit_log_other'))[0]?.count
  assert.equal(await inOther(), 1)
  assert.equal(await lab.removeOld(), 0)
  assert.ok(!(await lab.partitions()).includes(thisMonth), 'the month stays where it began')

  await lab.tamper('delete from audit_log')
  await lab.addOldEntry('partner_a', 8)
  await lab.addOldEntry('partner_a', 5)
  assert.equal(await lab.removeOld(), 0)
  await lab.tamper(`delete from audit_log where at > now() - interval '6 years'`)
  assert.equal(await lab.removeOld(), 1)
  assert.equal(await inOther(), 0)
  await lab.rename('partner_a')
  await lab.rows(`insert into audit_log (partner_id, at, actor, action, subject_type, subject_id)
    values ('partner_a', now() + interval '20 years', 'worker', 'changed', 'partner', 'clock')`)
  assert.equal(await inOther(), 1)
})

test('the partitions of this month and the next two are made in advance', async (t) => {
  const lab = await openAuditLab(t)
  const before = await lab.partitions()
  const last = before.at(-2) ?? ''
  await lab.rows(`drop table ${last}`)
  await lab.removeOld()
  assert.deepEqual(await lab.partitions(), before)
  assert.equal(before.length, 4)
})

test('every partition is append-only by itself, also one that was made later', async (t) => {
  const lab = await openAuditLab(t)
  await lab.addOldPartition(8)
  await lab.addOldEntry('partner_a', 8)
  await lab.addOldEntry('partner_a', 9)
  await lab.rename('partner_a')
  for (const partition of await lab.partitions()) {
    await assert.rejects(lab.rows(`truncate ${partition}`), /append-only/)
    const [{ count } = assert.fail()] = await lab.rows(`select count(*)::int as count from ${partition}`)
    for (const text of [`update ${partition} set actor = 'worker'`, `delete from ${partition}`])
      if (count > 0) await assert.rejects(lab.rows(text), /append-only/)
  }
})
