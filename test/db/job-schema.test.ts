import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Pool } from 'pg'
import { getRollbackPlans, PgBoss } from 'pg-boss'
import { jobSchema, jobSchemaVersion } from '../../src/db/job-schema.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createTestDatabase } from '../support/postgres.ts'

/** A migrated database, and what the library itself finds wrong with its tables. */
async function openJobTables(t: TestContext) {
  const { connectionString, drop } = await createTestDatabase()
  const pool = new Pool({ connectionString, max: 2 })
  t.after(async () => {
    await pool.end()
    await drop()
  })
  const library = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schema: jobSchema })
  return { connectionString, pool, drift: () => library.detectSchemaDrift() }
}

test('the job tables, when the database is migrated, are what the library expects', async (t) => {
  const { connectionString, pool, drift } = await openJobTables(t)
  assert.equal((await drift()).ok, true)
  const { rows } = await pool.query(`select version from ${jobSchema}.version`)
  assert.deepEqual(rows, [{ version: jobSchemaVersion }])
  assert.deepEqual(await migrate(connectionString), [])
})

test('the job tables, when they are of an earlier library, are brought up to date as a whole', async (t) => {
  const { connectionString, pool, drift } = await openJobTables(t)
  for (let version = jobSchemaVersion; version > 37; version -= 1)
    await pool.query(getRollbackPlans(jobSchema, version))
  assert.equal((await drift()).ok, false)
  const started = await Promise.all([migrate(connectionString), migrate(connectionString)])
  assert.deepEqual(started.flat(), [`job tables, version ${jobSchemaVersion}`])
  assert.equal((await drift()).ok, true, 'with every index, which the library itself would build later')
})

test('the job tables, when their migration fails half-way, are as before', async (t) => {
  const { connectionString, pool, drift } = await openJobTables(t)
  await pool.query(getRollbackPlans(jobSchema, jobSchemaVersion))
  const before = await drift()
  // In the way of one change of several.
  await pool.query(`alter table ${jobSchema}.queue add column created_delta integer`)
  await assert.rejects(migrate(connectionString), { name: 'MigrationError', message: /job tables failed/ })
  await pool.query(`alter table ${jobSchema}.queue drop column created_delta`)
  assert.deepEqual(await drift(), before)
  await migrate(connectionString)
  assert.equal((await drift()).ok, true)
})

test('the job tables, when they are newer than the library, stop the start', async (t) => {
  const { connectionString, pool } = await openJobTables(t)
  await pool.query(`update ${jobSchema}.version set version = version + 1`)
  await assert.rejects(migrate(connectionString), { name: 'MigrationError', message: /newer one/ })
})
