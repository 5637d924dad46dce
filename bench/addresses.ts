import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { generateCsv } from '../src/domain/addresses/samples/generate-csv.ts'
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'
import { copyBare, writeRowsForCopy } from './addresses/bare-copy.ts'
import { choosePostcodes, openLookups, timesOf } from './addresses/lookups.ts'
import type { Measured } from './addresses/report.ts'
import { findFreePort, type ServerProcess, startService } from './child-service.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:addresses`: measures how fast properties are generated and imported, and whether lookups become slower with more of
 * them. Records the results. The environment variable COUNT sets the number of properties, 30,000 to 30,000,000; a million
 * takes about two minutes, 30 million about half an hour and 25 GB. Loopback only.
 */

const count = Number(process.env.COUNT ?? 1_000_000)
const few = 30_000
if (!Number.isInteger(count) || count < few || count > 30_000_000) throw new Error('COUNT must be 30,000 to 30,000,000')
const isLarge = count > 3_000_000
const rounds = isLarge ? 1 : 3
const lookupRounds = 8
const lookupSeconds = 3
/** The most that is on disk at one time: two files, a table, its indexes and PostgreSQL's log. */
const bytesNeeded = count * 800 + 3e9

/** A service with its own database. */
interface Deployment {
  dataDir: string
  baseUrl: string
  service: ServerProcess
  postgres: EmbeddedPostgres
  pool: Pool
}

const run = beginRun('addresses')
const folder = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
// Run by root, PostgreSQL has a user of its own, who must reach its data here. Otherwise they would be elsewhere and stay there.
await chmod(folder, 0o711)
const opened: Deployment[] = []
try {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytesNeeded)
    throw new Error(`${folder} has ${bavail * bsize} bytes left; ${count} properties need ${bytesNeeded}`)
  await run.record(await measure(await open('many'), await open('few')))
} finally {
  for (const { pool, service, postgres } of opened) {
    await pool.end()
    await service.stop()
    await postgres.stop()
  }
  await rm(folder, { recursive: true, force: true })
}

async function measure(many: Deployment, little: Deployment): Promise<Measured> {
  const csv = join(folder, 'many.csv')
  const rows = join(folder, 'rows.csv')
  const generated = await seconds('generate', () => generate(csv, count))
  await writeRowsForCopy(csv, rows)
  const bare: number[] = []
  const imported: number[] = []
  const during: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await copyBare(many.pool, rows))
    log('bare COPY', bare.at(-1))
    // There is room for one table of this size, but not for two and the file.
    if (round === rounds - 1) await rm(rows)
    await many.pool.query('truncate properties')
    await many.pool.query('checkpoint')
    const lookups = await openLookups(many.baseUrl, ['LS2 9JT', 'AL1 0AA'])
    const stop = lookups.sendSteadily()
    imported.push(await seconds('import', () => importWithCommand(many, csv)))
    during.push(...(await stop()))
    await lookups.close()
  }
  const importedAgain = isLarge ? undefined : await seconds('import again', () => importWithCommand(many, csv))
  const fewCsv = join(folder, 'few.csv')
  await generate(fewCsv, few)
  await importWithCommand(little, fewCsv)
  const { rows: sizes } = await many.pool.query<{ table: number; indexes: number }>(
    `select pg_table_size('properties')::float8 as table, pg_indexes_size('properties')::float8 as indexes`,
  )
  return {
    ...{ count, generated, bare, imported, importedAgain },
    ...(await compareLookups(many, little)),
    slowestDuringImport: Math.max(...during),
    lookupsDuringImport: during.length,
    tableBytes: sizes[0]?.table ?? 0,
    indexBytes: sizes[0]?.indexes ?? 0,
    fileBytes: (await stat(csv)).size,
  }
}

/** Looks up postcodes at both services by turns, after a round that does not count. */
async function compareLookups(many: Deployment, little: Deployment): Promise<Pick<Measured, 'lookups' | 'fewLookups'>> {
  for (const { pool } of [many, little]) await pool.query('vacuum analyze properties')
  const ofMany = await openLookups(many.baseUrl, await choosePostcodes(many.pool, count))
  const ofFew = await openLookups(little.baseUrl, await choosePostcodes(little.pool, few))
  const lookups: number[] = []
  const fewLookups: number[] = []
  for (let round = 0; round <= lookupRounds; round += 1) {
    const times = [await ofMany.send(lookupSeconds), await ofFew.send(lookupSeconds)] as const
    if (round === 0) continue
    lookups.push(...times[0])
    fewLookups.push(...times[1])
  }
  await ofMany.close()
  await ofFew.close()
  return { lookups: timesOf(lookups), fewLookups: timesOf(fewLookups) }
}

async function open(name: string): Promise<Deployment> {
  const dataDir = join(folder, name)
  const port = await findFreePort()
  const service = await startService(dataDir, port)
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  const pool = new Pool({ connectionString: postgres.connectionString, max: 2 })
  const deployment = { dataDir, baseUrl: `http://127.0.0.1:${port}`, service, postgres, pool }
  opened.push(deployment)
  return deployment
}

async function generate(path: string, properties: number): Promise<void> {
  const output = createWriteStream(path)
  await generateCsv(output, { count: properties, seed: 1 })
  output.end()
  await once(output, 'finish')
}

async function importWithCommand({ dataDir }: Deployment, csv: string): Promise<void> {
  const command = spawn(process.execPath, ['src/main.ts', 'addresses', 'import', csv], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...loopbackOnlyEnvironment, DATA_DIR: dataDir },
  })
  const [code] = await once(command, 'exit')
  if (code !== 0) throw new Error(`the import ended with exit code ${code}`)
}

async function seconds(name: string, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  const taken = (performance.now() - startedAt) / 1_000
  log(name, taken)
  return taken
}

function log(name: string, taken: number | undefined): void {
  console.log(`${name}: ${taken?.toFixed(1)} s, load ${load()}`)
}

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}
