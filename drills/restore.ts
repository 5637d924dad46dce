import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client, Pool } from 'pg'
import { credentials, findFreePort, startService } from '../bench/child-service.ts'
import { whole } from '../bench/markdown-table.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/private-postgres/start-embedded.ts'
import { runJourney } from '../src/sandbox/journey/run-journey.ts'
import { goThroughJourney } from '../test/crash/household-journey.ts'
import { Ledger } from '../test/crash/ledger.ts'
import { PersistentPartner } from '../test/crash/persistent-partner.ts'
import { findLostWrites } from '../test/crash/verdict.ts'
import { connectPartner } from '../test/support/client.ts'
import { runCommand } from '../test/support/command-line.ts'
import { findProperty, onboard, startHousehold } from '../test/support/household.ts'
import { connectOperator } from '../test/support/operator.ts'
import { succeeded } from '../test/support/responses.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type BillsDatabase, createBillsDatabase } from './bills-database.ts'
import { type Drill, type DrillReport, runDrill } from './drill.ts'
import { copyHousehold } from './many-quotes.ts'

/*
 * `npm run drill:restore`: a base backup and the archived write-ahead log, made by PostgreSQL's own means, bring back a
 * database that was destroyed, as it was at a moment.
 */

const { quotes } = parseArgs({ options: { quotes: { type: 'string', default: '10000' } } }).values
const quoteCount = Number(quotes)
const households = 12
/** Tables that say how this deployment works, not what was sold; an unlogged one is empty after a restore. */
const ofWork = ['scheduled_jobs', 'write_probe', 'sandbox_requests']

const finding = (what: string, found: string, wanted: string, isMet: boolean) => ({ what, found, wanted, isMet })
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

await runDrill(
  {
    title: 'Restore',
    command: `npm run drill:restore -- --quotes ${quoteCount}`,
    maxMinutes: 10 + Math.ceil(quoteCount / 50_000),
  },
  drillRestore,
)

async function drillRestore(drill: Drill): Promise<DrillReport> {
  const archive = join(drill.folder, 'archive')
  const backup = join(drill.folder, 'backup')
  const server = await startArchiving(drill, archive)
  const bills = await createBillsDatabase(server.connectionString)
  const environment = await settingsOf(drill, bills)
  const service = await serve(drill, environment)
  const superuser = bills.connectionTo(bills.superuser)

  const partner = await connectPartner(service.url, credentials)
  const { lead: early } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, early)
  const pool = new Pool({ connectionString: superuser, max: 2 })
  await copyHousehold(pool, quoteCount)
  await pool.end()
  drill.say(`${whole(quoteCount)} quotes`)

  const ledger = new Ledger(join(drill.folder, 'acknowledged.jsonl'))
  const program = new PersistentPartner(service.url, partner.token, ledger)
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  await sell(program, addressUid, 0)
  const backedUpMs = await backUp(server, superuser, backup)
  drill.say(`backed up in ${seconds(backedUpMs)}`)

  await sell(program, addressUid, households)
  const operator = await connectOperator({
    baseUrl: service.url,
    connectionString: superuser,
    environment,
    config: { realm: 'sandbox', dataDir: drill.folder },
  })
  await service.stop()
  const before = await digest(superuser)
  const moment = await now(superuser)
  const kept = ledger.acknowledged.length
  drill.say(`the moment to restore: ${moment}`)

  // What happens after the moment is not to come back, apart from who was erased.
  const later = await serve(drill, environment)
  await sell(new PersistentPartner(later.url, partner.token, ledger), addressUid, 2 * households)
  const { nextCursor } = succeeded(await operator.get<{ nextCursor: string }>('/Contracts?limit=1'))
  const erased = await runCommand(['customers', 'erase', early, '--force', '--json'], environment)
  if (erased.code !== 0) throw new Error(erased.stderr)
  await later.stop()
  await untilArchived(superuser)
  await server.stop()
  await rm(server.dataDirectory, { recursive: true })
  drill.say('destroyed the database')

  const restoring = performance.now()
  await putBack(backup, server.dataDirectory, { archive, moment })
  const restored = await startEmbeddedPostgres({
    dataDir: drill.folder,
    log: () => undefined,
    // It answers only when it has read enough of the log.
    patienceMs: 3_600_000,
  })
  drill.atEnd(restored.stop)
  await untilPromoted(superuser)
  const restoredMs = performance.now() - restoring
  drill.say(`restored in ${seconds(restoredMs)}`)
  const different = differences(before, await digest(superuser))
  const replay = await runCommand(['customers', 'erase', '--replay', '--json'], environment)
  const isErased = await run(superuser, `select from customers where customer_id = '${early}' and erased_at is null`)

  const again = await serve(drill, environment)
  const lost = await findLostWrites(new PersistentPartner(again.url, partner.token, ledger), {
    acknowledged: ledger.acknowledged.slice(0, kept),
  })
  const feed = await operator.get<{ code?: string }>(`/Contracts?after=${encodeURIComponent(nextCursor)}`)
  const { outcome } = await runJourney(
    {
      ...{ ...credentials, baseUrl: again.url, postcode: 'LS2 9JT', tenants: 2, broadband: false },
      out: join(drill.folder, 'contracts'),
    },
    { onStep: () => undefined, onTenant: () => undefined },
  )
  return {
    text: `${whole(quoteCount)} quotes in a PostgreSQL of ${gigabytes(before.bytes)}, and ${households} households sold before, after
and after again. \`pg_backup_start\`, a copy of the folder and \`pg_backup_stop\` took ${seconds(backedUpMs)}; archiving the write-ahead log was
\`archive_command = 'cp'\`. The folder was then deleted, the copy put back with \`restore_command\` and \`recovery_target_time\`, and
PostgreSQL was ready for writes after ${seconds(restoredMs)}. Needed besides the backup: \`ENCRYPTION_KEYS\` and the ledger of erasures.`,
    findings: [
      finding('tables that differ from the moment', different.join(', ') || 'none', 'none', different.length === 0),
      finding(
        `of ${whole(kept)} writes acknowledged before the moment, lost`,
        String(lost.length),
        '0',
        lost.length === 0,
      ),
      finding(
        'somebody who was erased after the moment',
        replay.code === 0 && isErased.length === 0 ? 'erased again by the replay' : `not erased: ${replay.stderr}`,
        'erased again',
        replay.code === 0 && isErased.length === 0,
      ),
      finding(
        'the cursor of a back office that had read further',
        feed.status === 200 ? 'accepted' : String(feed.body.code),
        '`feed_reset`',
        feed.status !== 200,
      ),
      finding('the journey afterwards', outcome, 'completed', outcome === 'completed'),
    ],
  }
}

/** PostgreSQL that copies each segment of its write-ahead log to a folder. */
async function startArchiving(drill: Drill, archive: string): Promise<EmbeddedPostgres> {
  await mkdir(archive, { mode: 0o777 })
  await chmod(archive, 0o777)
  const server = await startEmbeddedPostgres({
    dataDir: drill.folder,
    log: () => undefined,
    settings: {
      archive_mode: 'on',
      archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
    },
  })
  drill.atEnd(server.stop)
  return server
}

/** What each start of the service is given. Its keys and its ledger are not in the database. */
async function settingsOf(drill: Drill, { urls }: BillsDatabase): Promise<Record<string, string>> {
  const port = await findFreePort()
  const dataDir = join(drill.folder, 'data')
  await mkdir(dataDir)
  return {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    ...urls,
    ENCRYPTION_KEYS: `drill:${randomBytes(32).toString('base64')}`,
    ERASURE_LEDGER: join(drill.folder, 'erasures.jsonl'),
  }
}

async function serve(drill: Drill, environment: Record<string, string>) {
  const { PUBLIC_URL: url = '', DATA_DIR: dataDir = '', PORT: port } = environment
  return { url, ...(await startService(drill, dataDir, Number(port), environment)) }
}

/** Takes households from quote to contract. Their numbers begin after `from`. */
async function sell(partner: PersistentPartner, addressUid: string, from: number): Promise<void> {
  const left = Array.from({ length: households }, (_, index) => from + index + 1).values()
  const lane = async () => {
    for (const number of left) await goThroughJourney(partner, addressUid, number)
  }
  await Promise.all([lane(), lane(), lane()])
}

/** A base backup by PostgreSQL's low-level API. Returns how long it took, in milliseconds. */
async function backUp({ dataDirectory }: EmbeddedPostgres, connectionString: string, backup: string): Promise<number> {
  const begun = performance.now()
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(`select pg_backup_start('drill', true)`)
  const { stderr } = spawnSync('cp', ['-a', dataDirectory, backup], { encoding: 'utf8' })
  const wrong = stderr.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const { rows } = await client.query('select labelfile from pg_backup_stop()')
  await client.end()
  for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(backup, name), { force: true })
  for (const name of await readdir(join(backup, 'pg_wal'))) await rm(join(backup, 'pg_wal', name), { recursive: true })
  await writeForServer(backup, 'backup_label', rows[0].labelfile)
  return performance.now() - begun
}

/** Puts the backup in the place of the cluster, to be recovered to the moment. */
async function putBack(
  backup: string,
  cluster: string,
  { archive, moment }: { archive: string; moment: string },
): Promise<void> {
  execFileSync('cp', ['-a', backup, cluster])
  const settings = {
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(cluster, 'postgresql.auto.conf'), lines.join(''))
  await writeForServer(cluster, 'recovery.signal', '')
}

/** Writes a file of a cluster, which belongs to the user that owns the folder. */
async function writeForServer(cluster: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(cluster)
  await writeFile(join(cluster, name), text)
  await chown(join(cluster, name), uid, gid)
}

interface Digest {
  /** Of each table: how many rows, and a hash over all of them. */
  tables: Map<string, string>
  bytes: number
}

async function digest(connectionString: string): Promise<Digest> {
  const names = await run<{ name: string }>(
    connectionString,
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname in ('public', 'simulated_processor') and tablename not in ('${ofWork.join("', '")}') order by 1`,
  )
  const tables = new Map<string, string>()
  for (const { name } of names) {
    const [row] = await run<{ digest: string }>(
      connectionString,
      `select count(*) || ' ' || md5(string_agg(hash, '' order by hash)) as digest
         from (select md5(t::text) as hash from ${name} t) hashes`,
    )
    tables.set(name, row?.digest ?? '')
  }
  const [size] = await run<{ bytes: number }>(
    connectionString,
    'select pg_database_size(current_database())::float8 as bytes',
  )
  return { tables, bytes: size?.bytes ?? 0 }
}

function differences(one: Digest, other: Digest): string[] {
  const names = new Set([...one.tables.keys(), ...other.tables.keys()])
  return [...names].filter((name) => one.tables.get(name) !== other.tables.get(name))
}

async function now(connectionString: string): Promise<string> {
  const [row] = await run<{ now: string }>(connectionString, 'select clock_timestamp()::text as now')
  return row?.now ?? ''
}

async function untilArchived(connectionString: string): Promise<void> {
  const [row] = await run<{ segment: string }>(connectionString, 'select pg_walfile_name(pg_switch_wal()) as segment')
  await waitFor('the last segment is archived', async () => {
    const found = await run(
      connectionString,
      `select from pg_stat_archiver where last_archived_wal >= '${row?.segment}'`,
    )
    return found.length === 1
  })
}

async function untilPromoted(connectionString: string): Promise<void> {
  for (;;) {
    const [row] = await run<{ isDone: boolean }>(connectionString, 'select not pg_is_in_recovery() as "isDone"')
    if (row?.isDone === true) return
    await sleep(50)
  }
}

async function run<Row extends object>(connectionString: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
