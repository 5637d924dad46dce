import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { createPool } from '../src/app/open-database.ts'
import { startEmbeddedPostgres } from '../src/platform/private-postgres/start-embedded.ts'
import type { Steps } from './bounded-run.ts'
import { findFreePort, startService } from './child-service.ts'

/** The service as shipped, with the private PostgreSQL that it owns. */
export interface MeasuredService {
  dataDir: string
  url: string
  processId: number
  /** PostgreSQL's main process. */
  postmasterId: number
  /** Connects as PostgreSQL's superuser. */
  connectionString: string
  pool: Pool
}

/** What is measured: the service, or a server beside it. */
export type Server = Pick<MeasuredService, 'url' | 'processId'>

/** Starts the service in an empty folder. It stops, and the folder goes, when the run ends. */
export async function startMeasuredService(
  run: Steps,
  environment: Record<string, string> = {},
): Promise<MeasuredService> {
  const dataDir = await makeDataFolder(run)
  const port = await findFreePort()
  const { processId } = await startService(run, dataDir, port, environment)
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  run.atEnd(postgres.stop)
  const { connectionString, pid: postmasterId = 0 } = postgres
  const pool = createPool(connectionString, { warn: console.error })
  run.atEnd(() => pool.end())
  return { dataDir, url: `http://127.0.0.1:${port}`, processId, postmasterId, connectionString, pool }
}

/** An empty folder that goes when the run ends. */
export async function makeDataFolder(run: Steps): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  run.atEnd(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** Waits until every event that was written has been dispatched. */
export async function untilDispatched({ pool }: MeasuredService): Promise<void> {
  const giveUpAt = Date.now() + 60_000
  while (Date.now() < giveUpAt) {
    const { rows } = await pool.query<{ isWaiting: boolean }>(
      'select exists (select from events where dispatched_at is null) as "isWaiting"',
    )
    if (rows[0]?.isWaiting === false) return
    await sleep(5)
  }
  throw new Error('events were still not dispatched after 60 s')
}
