import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../../private-postgres/start-embedded.ts'
import { composeCipher } from '../../src/compose/compose.ts'
import { createLogger } from '../../src/compose/logger.ts'
import { openDatabase } from '../../src/compose/open-database.ts'
import { buildConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import type { FieldCipher } from '../../src/kernel/field-encryption.ts'
import { connectPartner, type Partner } from '../../test/support/client.ts'
import { connectOperator, type Operator } from '../../test/support/operator.ts'
import { credentials, findFreePort, startService } from '../child-service.ts'

/** A service with a private PostgreSQL of its own. No scheduled job runs in it. */
export interface Deployment {
  baseUrl: string
  pool: Pool
  cipher: FieldCipher
  partner: Partner
  operator: Operator
  stop(): Promise<void>
}

/** Starts a sandbox in a new folder, which `stop` removes. */
export async function startDeployment(environment: Record<string, string> = {}): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  const port = await findFreePort()
  const service = await startService(dataDir, port, environment)
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  const pool = new Pool({ connectionString: postgres.connectionString, max: 2 })
  await pool.query(`update scheduled_jobs set due_at = '2100-01-01'`)
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    pool,
    cipher: await openCipher(dataDir),
    partner: await connectPartner(baseUrl, credentials),
    operator: await connectOperator({ baseUrl, connectionString: postgres.connectionString } as never),
    async stop() {
      await pool.end()
      await service.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function openCipher(dataDir: string): Promise<FieldCipher> {
  const environment = { DATA_DIR: dataDir }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, dataDir)
  const { databases, close } = await openDatabase(config, secrets, createLogger('silent'))
  const cipher = await composeCipher(databases.system, secrets)
  await close()
  return cipher
}

/**
 * The bytes of each table with its indexes, partitions together, the largest first. Without the maps of free space, which are as large in small tables as in
 * large ones.
 */
export async function readTableSizes(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(`
    select coalesce(inhparent, c.oid)::regclass::text as name, 
           sum(pg_relation_size(c.oid) + pg_indexes_size(c.oid)
               + coalesce(pg_relation_size(t.oid) + pg_indexes_size(t.oid), 0)) as bytes
      from pg_class c left join pg_inherits on inhrelid = c.oid left join pg_class t on t.oid = c.reltoastrelid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1 order by 2 desc`)
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}
