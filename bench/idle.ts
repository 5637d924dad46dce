import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { findFreePort, startService } from './child-service.ts'
import { startCpuTimer } from './cpu-time.ts'

/**
 * `npm run bench:idle`: measures the CPU time of the idle service and its private PostgreSQL. The aim is at most 1 % of a core.
 * Runs only on Linux.
 */
const settlingSeconds = 60
const measuredSeconds = 120

const dataDir = await mkdtemp(join(tmpdir(), 'housebill-idle-'))
const service = await startService(dataDir, await findFreePort())
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const client = new Client({ connectionString: postgres.connectionString })
try {
  await client.connect()
  await sleep(settlingSeconds * 1_000)
  const pids = [service.processId ?? 0, postgres.pid ?? 0, ...childrenOf(postgres.pid ?? 0)]
  const cpuTime = startCpuTimer(pids)
  const before = await countTransactions()
  await sleep(measuredSeconds * 1_000)
  const share = cpuTime(childrenOf(postgres.pid ?? 0)) / (measuredSeconds * 10)
  const transactions = ((await countTransactions()) - before) / measuredSeconds
  console.log(
    `${share.toFixed(2)} % of a core, ${transactions.toFixed(1)} transactions a second, over ${measuredSeconds} s`,
  )
} finally {
  await client.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
}

/** The number of transactions in the service's database so far. */
async function countTransactions(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select (xact_commit + xact_rollback)::integer as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.count ?? Number.NaN
}
