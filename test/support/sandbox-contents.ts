import { Pool } from 'pg'
import { createLogger } from '../../src/app/logger.ts'
import { prepareSandbox } from '../../src/app/sandbox/open-sandbox.ts'
import { ensureSandboxPartner } from '../../src/app/sandbox/sandbox-partner.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import type { InitialContents } from './postgres.ts'

/** The credentials of the partner that every test sandbox starts with. */
export const sandboxCredentials = { clientId: 'sb_test', clientSecret: 'secret-of-every-test-sandbox' }

/** Before any time to which a test sets its clock, because a token may not be older than its credentials. */
const longAgo = { now: () => new Date('2020-01-01T00:00:00Z') }

/** Each service has its own keys: it seals these credentials when it starts, as it is given their secret. */
const nobody = { hash: () => '', hashes: () => [] }

/** The rows that a sandbox inserts at its first start: sample properties, rate cards and a partner. */
export const sandboxContents: InitialContents = {
  name: 'sandbox',
  fill: async (connectionString) => {
    const pool = new Pool({ connectionString, max: 1, pipeline: true })
    const db = createDatabase(pool)
    await prepareSandbox({ db, log: createLogger('silent'), withSamples: true })
    await ensureSandboxPartner(
      { db, clock: longAgo, cipher: nobody },
      { ...sandboxCredentials, secretsAreExternal: false },
    )
    await pool.end()
  },
}
