import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../../support/postgres.ts'

test('test databases have every migration, share nothing, and are gone once dropped', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  try {
    const applied = await query(one.connectionString, 'select name from schema_migrations')
    assert.ok(applied.length > 0)
    await query(one.connectionString, 'create table mine ()')
    assert.deepEqual(await query(other.connectionString, `select to_regclass('mine') as mine`), [{ mine: null }])
  } finally {
    await Promise.all([one.drop(), other.drop()])
  }
  await assert.rejects(query(one.connectionString, 'select'), { code: '3D000' })
})
