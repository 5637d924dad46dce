import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { count } from '../operator/naive-funnel.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService()
after(() => service.stop())
const databases = await openDatabases(service.connectionString)
let own: string
let other: string
before(async () => {
  for (const partner of [await connectNewPartner(service), await connectNewPartner(service)]) await createQuote(partner)
  await count(service)
  const rows = await rawRows(service, 'select partner_id from funnel_days')
  ;[own, other] = [String(rows[0]?.partner_id), String(rows[1]?.partner_id)]
})

const denied = /permission denied|violates row-level security/

test('a partner sees and writes the counts of its own days only, even with a statement without a condition', async () => {
  assert.equal((await rawRows(service, 'select from funnel_days')).length, 2)
  const db = databases.forPartner(own)
  assert.deepEqual(await db.query(sql`select partner_id from funnel_days`), [{ partner_id: own }])
  assert.equal((await db.query(sql`update funnel_days set quotes = 0 returning 1`)).length, 1)
  await assert.rejects(db.query(sql`insert into funnel_days (partner_id, day) values (${other}, '2026-01-01')`), denied)
  assert.deepEqual(await db.query(sql`delete from funnel_days where partner_id = ${other} returning 1`), [])
  await assert.rejects(db.query(sql`select from funnel_progress`), denied)
  assert.deepEqual(await databases.shared.query(sql`select from funnel_days`), [])
})

test("the operator's software reads the counts and when they were made, and changes neither", async () => {
  const db = databases.forOperator()
  assert.equal((await db.query(sql`select from funnel_days`)).length, 2)
  assert.equal((await db.query(sql`select counted_at from funnel_progress`)).length, 1)
  for (const statement of [
    sql`update funnel_days set quotes = 0`,
    sql`insert into funnel_days (partner_id, day) values (${own}, '2026-01-01')`,
    sql`delete from funnel_days`,
    sql`update funnel_progress set counted_at = now()`,
    sql`select created_at from quotes`,
    sql`select quote_id from audit_log`,
  ])
    await assert.rejects(db.query(statement), denied)
})

test('work across partners learns which quotes changed, and neither who changed what nor the counts', async () => {
  const db = databases.system
  assert.ok((await db.query(sql`select partner_id, quote_id, transaction_id from audit_log`)).length > 0)
  for (const statement of [
    sql`select actor from audit_log`,
    sql`select customer_id from audit_log`,
    sql`select fields from audit_log`,
    sql`insert into audit_log (partner_id) values (${own})`,
    sql`select quotes from funnel_days`,
    sql`select created_at from quotes`,
  ])
    await assert.rejects(db.query(statement), denied)
})
