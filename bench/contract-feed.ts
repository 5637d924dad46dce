import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { composeCipher } from '../src/compose/compose.ts'
import { createLogger } from '../src/compose/logger.ts'
import { openDatabase } from '../src/compose/open-database.ts'
import { buildConfig } from '../src/config/config.ts'
import { loadSecrets } from '../src/config/secrets.ts'
import { connectPartner } from '../test/support/client.ts'
import { onboard, startHousehold } from '../test/support/household.ts'
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'
import { connectOperator, type Feed } from '../test/support/operator.ts'
import { credentials, findFreePort, startService } from './child-service.ts'
import { copyContract } from './contract-feed/many-contracts.ts'
import { reportContractFeed } from './contract-feed/report.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:contract-feed`: how many contracts a second leave through the API and through an export, compared with reading the same rows and
 * nothing else, and how much memory the export needs. COUNT sets the number of contracts; only a run with the usual number is recorded. Loopback only; 100,000 take about three minutes.
 */

const count = Number(process.env.COUNT ?? 100_000)
const maxMinutes = 5 + count / 20_000
const timer = setTimeout(() => {
  console.error(`not finished within ${maxMinutes} minutes`)
  process.exit(1)
}, maxMinutes * 60_000)

const run = beginRun('contract-feed')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const baseUrl = `http://127.0.0.1:${port}`
const service = await startService(dataDir, port)
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const pool = new Pool({ connectionString: postgres.connectionString, max: 2 })
try {
  const partner = await connectPartner(baseUrl, credentials)
  await onboard(partner, (await startHousehold(partner, { tenants: 1 })).lead)
  await copyContract(pool, await openCipher(), count)
  const databaseSize = await sizeOf()
  const rowsPerSecond = rate(await timed(readBare))
  const operator = await connectOperator({ baseUrl, connectionString: postgres.connectionString } as never)
  const feedPerSecond = rate(await timed(() => follow(operator.token)))
  const memory = { peakMiB: 0 }
  const exportPerSecond = rate(await timed(() => runExport(memory)))
  const rates = { rowsPerSecond, feedPerSecond, exportPerSecond }
  const figures = { contracts: count, databaseSize, ...rates, exportPeakMiB: memory.peakMiB }
  console.log(reportContractFeed(figures))
  if (process.env.COUNT === undefined) await run.record(figures)
} finally {
  clearTimeout(timer)
  await pool.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function openCipher() {
  const environment = { DATA_DIR: dataDir }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, dataDir)
  const { databases, close } = await openDatabase(config, secrets, createLogger('silent'))
  const cipher = await composeCipher(databases.system, secrets)
  await close()
  return cipher
}

async function sizeOf(): Promise<string> {
  const { rows } = await pool.query('select pg_size_pretty(pg_database_size(current_database())) as size')
  return rows[0].size
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

function rate(seconds: number): number {
  return Math.round(count / seconds)
}

/** The bare cost of the rows: PostgreSQL sends them to this process, which throws them away. */
async function readBare(): Promise<void> {
  const client = await pool.connect()
  try {
    let rows = 0
    for (let after = ''; ; ) {
      const found = await client.query(
        `select k.*, c.personal_encrypted, q.address from contracts k join customers c using (customer_id)
           join quotes q on q.quote_id = k.quote_id where k.contract_number > $1 order by k.contract_number limit 1000`,
        [after],
      )
      rows += found.rows.length
      after = found.rows.at(-1)?.contract_number ?? ''
      if (found.rows.length < 1_000) break
    }
    if (rows !== count) throw new Error(`${rows} rows instead of ${count}`)
  } finally {
    client.release()
  }
}

async function follow(token: string): Promise<void> {
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const query = cursor === undefined ? '' : `&after=${cursor}`
    const response = await fetch(`${baseUrl}/operator-api/Contracts?limit=500${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const page = (await response.json()) as Feed
    if (response.status !== 200) throw new Error(JSON.stringify(page))
    for (const { contractNumber } of page.data) seen.add(contractNumber)
    cursor = page.nextCursor
    if (!page.hasMore && page.data.length < 500) break
  }
  if (seen.size !== count) throw new Error(`the feed had ${seen.size} contracts instead of ${count}`)
}

async function runExport(memory: { peakMiB: number }): Promise<void> {
  const out = join(dataDir, 'contracts.ndjson')
  const args = ['src/main.ts', 'contracts', 'export', '--format', 'ndjson', '--out', out]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...loopbackOnlyEnvironment, DATA_DIR: dataDir },
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  while (child.exitCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    memory.peakMiB = Math.max(memory.peakMiB, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024))
    await Promise.race([ended, sleep(200)])
  }
  if ((await ended) !== 0) throw new Error('the export failed')
  const lines = { count: 0 }
  await pipeline(createReadStream(out), async (chunks) => {
    for await (const chunk of chunks) for (const byte of chunk as Buffer) if (byte === 10) lines.count += 1
  })
  if (lines.count !== count) throw new Error(`the file has ${lines.count} lines instead of ${count}`)
}
