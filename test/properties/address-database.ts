import { after } from 'node:test'
import { Pool } from 'pg'
import { createDatabase, type Database } from '../../src/platform/db/database.ts'
import { createTestDatabase } from '../support/postgres.ts'

/** Creates a database for this test file, dropped after its last test. Await it before declaring tests. */
export async function createAddressDatabase(): Promise<Database & { connectionString: string }> {
  const { connectionString, drop } = await createTestDatabase()
  const pool = new Pool({ connectionString, max: 4, pipeline: true })
  after(async () => {
    await pool.end()
    await drop()
  })
  return { ...createDatabase(pool), connectionString }
}
