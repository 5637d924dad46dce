import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { findFreePort, startService } from './child-service.ts'

/** The service as shipped, with the private PostgreSQL that it owns. */
export interface MeasuredService {
  url: string
  processId: number
  /** PostgreSQL's main process. */
  postmasterId: number
  /** Connects as PostgreSQL's superuser. */
  connectionString: string
  database: Client
  /** Waits until every event that was written has been dispatched. */
  untilDispatched(): Promise<void>
  /** Stops the service and everything that was started after it, the last first. */
  stop(): Promise<void>
  /** Adds something to stop before the service. */
  alsoStop(closer: () => Promise<unknown>): void
}

/** Starts the service in an empty folder. */
export async function startMeasuredService(): Promise<MeasuredService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })]
  const stop = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const port = await findFreePort()
    const service = await startService(dataDir, port)
    closers.push(service.stop)
    const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
    closers.push(postgres.stop)
    const database = new Client({ connectionString: postgres.connectionString })
    await database.connect()
    closers.push(() => database.end())
    const processId = service.processId ?? 0
    const postmasterId = postgres.pid ?? 0
    return {
      url: `http://127.0.0.1:${port}`,
      processId,
      postmasterId,
      connectionString: postgres.connectionString,
      database,
      untilDispatched: () => untilDispatched(database),
      stop,
      alsoStop: (closer) => closers.push(closer),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilDispatched(database: Client): Promise<void> {
  const giveUpAt = Date.now() + 60_000
  while (Date.now() < giveUpAt) {
    const { rows } = await database.query<{ isWaiting: boolean }>(
      'select exists (select from events where dispatched_at is null) as "isWaiting"',
    )
    if (rows[0]?.isWaiting === false) return
    await sleep(5)
  }
  throw new Error('events were still not dispatched after 60 s')
}
