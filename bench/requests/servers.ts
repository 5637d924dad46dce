import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../../private-postgres/start-embedded.ts'
import { loopbackOnlyEnvironment } from '../../test/support/loopback-only.ts'
import { findFreePort, forkServer, type ServerProcess, startService, stop, waitUntilReady } from '../child-service.ts'

/** Everything that a benchmark of requests measures: the service as shipped, and the servers that it is compared with. */
export interface Servers {
  service: { url: string; processId: number }
  /** Bare Fastify on the service's PostgreSQL, with a row that has `bareQuoteId`. */
  bare: { url: string; processId: number }
  /** Prism's mock of our own API document. */
  mock: { url: string; processId: number }
  /** PostgreSQL's main process. */
  postmasterId: number
  /** Waits until every event that was written has been dispatched. */
  untilDispatched(): Promise<void>
  stop(): Promise<void>
}

export const bareQuoteId = 'quote_bare'

/** Starts the service with the private PostgreSQL that it owns, in an empty folder, and the servers to compare it with. */
export async function startServers(): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })]
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  try {
    const [servicePort, barePort, mockPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
    const service = await startService(dataDir, servicePort)
    closers.push(service.stop)
    const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
    closers.push(postgres.stop)
    const database = new Client({ connectionString: postgres.connectionString })
    await database.connect()
    closers.push(() => database.end())
    await createBareTable(database)
    const bare = await forkServer('bench/requests/bare-server.ts', [postgres.connectionString, String(barePort)])
    closers.push(bare.stop)
    const mock = await startMock(mockPort)
    closers.push(mock.stop)
    return {
      service: { url: `http://127.0.0.1:${servicePort}`, processId: service.processId ?? 0 },
      bare: { url: `http://127.0.0.1:${barePort}`, processId: bare.processId ?? 0 },
      mock: { url: `http://127.0.0.1:${mockPort}`, processId: mock.processId ?? 0 },
      postmasterId: postgres.pid ?? 0,
      untilDispatched: () => untilDispatched(database),
      stop: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A table with the columns that a quote needs at least. */
async function createBareTable(database: Client): Promise<void> {
  await database.query(`
    create table bare_quotes (
      quote_id text primary key,
      partner_id text not null,
      address_uid text not null,
      status text not null,
      packages text[] not null,
      created_at timestamptz not null default now()
    )`)
  await database.query(
    `insert into bare_quotes (quote_id, partner_id, address_uid, status, packages)
     select case number when 1 then $1 else 'quote_' || number end, 'partner', 'address', 'created', '{electricity,gas}'
     from generate_series(1, 10000) number`,
    [bareQuoteId],
  )
  await database.query('vacuum analyze bare_quotes')
}

async function untilDispatched(database: Client): Promise<void> {
  const giveUpAt = Date.now() + 60_000
  while (Date.now() < giveUpAt) {
    const { rows } = await database.query<{ waiting: boolean }>(
      'select exists (select from events where dispatched_at is null) as waiting',
    )
    if (rows[0]?.waiting === false) return
    await sleep(5)
  }
  throw new Error('events were still not dispatched after 60 s')
}

/** Starts Prism without a log, because the service writes none either. */
async function startMock(port: number): Promise<ServerProcess> {
  const startedAt = performance.now()
  const program = join(
    dirname(createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json')),
    'dist/index.js',
  )
  const document = 'openapi/partner-api.json'
  const child = spawn(
    process.execPath,
    [program, 'mock', document, '--port', String(port), '--verboseLevel', 'silent'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...loopbackOnlyEnvironment },
    },
  )
  await waitUntilReady(`http://127.0.0.1:${port}/partner-api/Sandbox/postcodes`, child, (status) => status > 0)
  return { readyAfterMs: performance.now() - startedAt, processId: child.pid, stop: () => stop(child) }
}
