import type { Pool } from 'pg'
import { createMemoryCounters } from '../src/adapters/call-counter/memory.ts'
import { createMetrics } from '../src/adapters/prometheus/metrics.ts'
import { compose } from '../src/compose/compose.ts'
import { createLogger } from '../src/compose/logger.ts'
import { createPool, openDatabase } from '../src/compose/open-database.ts'
import { prepareSandbox } from '../src/compose/prepare-sandbox.ts'
import { ensureSandboxPartner } from '../src/compose/sandbox-partner.ts'
import { buildConfig } from '../src/config/config.ts'
import { loadSecrets } from '../src/config/secrets.ts'
import { createDatabase } from '../src/db/database.ts'
import type { Databases } from '../src/db/databases.ts'
import { systemClock } from '../src/domain/kernel/clock.ts'
import type { FieldCipher } from '../src/domain/kernel/field-encryption.ts'
import { buildServer } from '../src/http/server.ts'
import { credentials } from './child-service.ts'

/*
 * The service's server without its workers, on a database that keeps partners apart, or on one that leaves it to the statements:
 * row-level security off, every statement sent as it is, as the owner; or one that stores everything unencrypted. Arguments: `with`,
 * `without` or `unencrypted`, connection string, port, data folder.
 */
const [, , kind = '', connectionString = '', port = '', dataDir = ''] = process.argv
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
const databases = kind === 'without' ? await withoutIsolation() : opened.databases
await prepareSandbox({ db: databases.system, log, withSamples: true })
await ensureSandboxPartner({ db: databases.system, clock: systemClock }, { ...credentials, secretsAreOutside: false })
const { services, outside } = await compose({ config, secrets, databases, log }, { clock: systemClock })
const { cipher } = services
const { app } = await buildServer(
  { ...services, cipher: kind === 'unencrypted' ? storingAsItIs(cipher) : cipher },
  {
    ...config.server,
    realm: config.realm,
    rateLimits: config.rateLimits,
    callCounters: createMemoryCounters(),
    logger: log,
    isStopping: () => false,
    metrics: createMetrics({ upstreams: outside.counters, pool: opened.connections }),
  },
)
await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send?.('ready')

async function withoutIsolation(): Promise<Databases> {
  const pool: Pool = createPool(connectionString, log)
  const { rows } = await pool.query('select oid::regclass::text as name from pg_class where relrowsecurity')
  for (const { name } of rows) await pool.query(`alter table ${name} disable row level security`)
  const plain = createDatabase(pool)
  return { forPartner: () => plain, shared: plain, system: plain }
}

/** In the same form and in any row, so that only the encrypting is gone. */
function storingAsItIs(cipher: FieldCipher): FieldCipher {
  return {
    ...cipher,
    encrypt: (plain) => `plain.${Buffer.from(plain).toString('base64url')}`,
    decrypt: (value) => Buffer.from(value.slice(value.indexOf('.') + 1), 'base64url'),
  }
}
