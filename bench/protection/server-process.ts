import type { Pool } from 'pg'
import { createMemoryCounters } from '../../src/adapters/call-counter/memory.ts'
import { createMetrics } from '../../src/adapters/prometheus/metrics.ts'
import { compose } from '../../src/compose/compose.ts'
import { createLogger } from '../../src/compose/logger.ts'
import { createPool, openDatabase } from '../../src/compose/open-database.ts'
import { prepareSandbox } from '../../src/compose/sandbox/prepare-sandbox.ts'
import { ensureSandboxPartner } from '../../src/compose/sandbox/sandbox-partner.ts'
import { buildConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { createDatabase } from '../../src/db/database.ts'
import type { Databases } from '../../src/db/databases.ts'
import { buildServer } from '../../src/http/server.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { FieldCipher } from '../../src/kernel/field-encryption.ts'
import { credentials } from '../child-service.ts'

/*
 * The service's server without its workers, with all protections or without one of them. Arguments: what to leave out (`nothing`,
 * `isolation`, `encryption`, `audit`), connection string, port, data folder.
 */
export type OmittedProtection = 'nothing' | 'isolation' | 'encryption' | 'audit'

const [, , without = '', connectionString = '', port = '', dataDir = ''] = process.argv
const environment = {
  DATABASE_URL: connectionString,
  DATA_DIR: dataDir,
  PORT: port,
  RATE_LIMIT_PER_SECOND: '0',
  TOKEN_RATE_LIMIT_PER_MINUTE: '0',
}
const config = buildConfig(environment)
const secrets = await loadSecrets(environment, config.realm, config.dataDir)
const log = createLogger('error')
const opened = await openDatabase(config, secrets, log)
if (without === 'audit') await dropAuditTriggers()
const databases = without === 'isolation' ? await withoutIsolation() : opened.databases
await prepareSandbox({ db: databases.system, log, withSamples: true })
await ensureSandboxPartner({ db: databases.system, clock: systemClock }, { ...credentials, secretsAreExternal: false })
const { services, upstreams } = await compose({ config, secrets, databases, log }, { clock: systemClock })
const cipher = without === 'encryption' ? plainly(services.cipher) : services.cipher
// Without isolation, a read has no partner, so it cannot be recorded either.
const readLog = without === 'audit' || without === 'isolation' ? { record: async () => undefined } : services.readLog
const { app } = await buildServer(
  { ...services, cipher, readLog },
  {
    ...config.server,
    realm: config.realm,
    webhookRetrySeconds: config.webhooks.retrySeconds,
    rateLimits: config.rateLimits,
    callCounters: createMemoryCounters(),
    logger: log,
    isStopping: () => false,
    isOutdated: () => false,
    probe: async () => undefined,
    metrics: createMetrics({ upstreams: upstreams.counters, pool: opened.connections }),
  },
)
await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send?.('ready')

/** Disables row-level security. Every statement is then sent unchanged, as the owner. */
async function withoutIsolation(): Promise<Databases> {
  const pool: Pool = createPool(connectionString, log)
  const { rows } = await pool.query('select oid::regclass::text as name from pg_class where relrowsecurity')
  for (const { name } of rows) await pool.query(`alter table ${name} disable row level security`)
  const plain = createDatabase(pool)
  return { forPartner: () => plain, shared: plain, system: plain, forSystem: () => plain }
}

async function dropAuditTriggers(): Promise<void> {
  const pool: Pool = createPool(connectionString, log)
  const { rows } = await pool.query(`select tgrelid::regclass::text as name from pg_trigger where tgname = 'audit'`)
  for (const { name } of rows) await pool.query(`drop trigger audit on ${name}`)
  if (rows.length === 0) throw new Error('there is no audit trigger to drop')
  await pool.end()
}

/** A cipher that writes fields unencrypted, in Base64, and still decrypts what was encrypted before. */
function plainly(real: FieldCipher): FieldCipher {
  const prefix = 'plain.'
  return {
    ...real,
    encrypt: (plain) => prefix + Buffer.from(plain).toString('base64url'),
    decrypt: (value, place) =>
      value.startsWith(prefix) ? Buffer.from(value.slice(prefix.length), 'base64url') : real.decrypt(value, place),
  }
}
