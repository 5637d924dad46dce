import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { createDatabase, inQueueTransaction, inTransaction } from '../../../src/platform/db/database.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { createTestDatabase } from '../../support/postgres.ts'

const { connectionString, drop } = await createTestDatabase()
after(drop)

test('a database with a pool whose connections are not pipelined is rejected', async () => {
  const pool = new Pool({ connectionString })
  assert.throws(() => createDatabase(pool), /pipeline/)
  await pool.end()
})

test('transactions with one statement or many, queued or not, cause no driver warning', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  const pool = new Pool({ connectionString, max: 1, pipeline: true })
  const db = createDatabase(pool)
  const one = sql`select 1 as one`
  await Promise.all([db.query(one), db.query(one)])
  await inTransaction(db, {}, (tx) => Promise.all([tx.query(one), tx.query(one)]))
  await inQueueTransaction(db, (tx) => Promise.all([tx.query(one), tx.query(one)]))
  await pool.end()
  await new Promise(setImmediate)
  process.off('warning', listen)
  assert.deepEqual(warnings, [])
})
