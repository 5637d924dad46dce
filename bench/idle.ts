import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { findFreePort, startService } from './child-service.ts'
import { startTreeTimer } from './cpu-time.ts'
import { reportIdle } from './idle/report.ts'
import { beginRun } from './results.ts'

/**
 * `npm run bench:idle`: measures the CPU time of the idle service and its private PostgreSQL. The aim is at most 1 % of a core.
 * Runs only on Linux.
 */
const settlingSeconds = 60
const measuredSeconds = 120

const run = beginRun('idle')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-idle-'))
const service = await startService(dataDir, await findFreePort())
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const client = new Client({ connectionString: postgres.connectionString })
try {
  await client.connect()
  await sleep(settlingSeconds * 1_000)
  const postmaster = postgres.pid ?? 0
  const cpuTimes = [startTreeTimer(service.processId ?? 0, [postmaster]), startTreeTimer(postmaster)]
  const before = await countTransactions()
  await sleep(measuredSeconds * 1_000)
  const percentOfCore = cpuTimes.reduce((sum, cpuTime) => sum + cpuTime(), 0) / (measuredSeconds * 10)
  const transactionsPerSecond = ((await countTransactions()) - before) / measuredSeconds
  const figures = { seconds: measuredSeconds, percentOfCore, transactionsPerSecond }
  console.log(reportIdle(figures))
  await run.record(figures)
} finally {
  await client.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** The number of transactions in the service's database so far. */
async function countTransactions(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select (xact_commit + xact_rollback)::integer as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.count ?? Number.NaN
}
