// Keeps the tests' PostgreSQL running for a whole run: `node --test
// --test-global-setup=test/support/postgres-for-run.ts`.
import type { EmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'
import { shareTestServer } from './postgres.ts'

let server: EmbeddedPostgres | undefined

export async function globalSetup(): Promise<void> {
  server = await shareTestServer()
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
