import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Client } from 'pg'
import { loopbackOnlyEnvironment } from '../../test/support/loopback-only.ts'
import { findFreePort, forkServer, type ServerProcess, stop, waitUntilReady } from '../child-service.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'

interface Server {
  url: string
  processId: number
}

/** The service as shipped, and the servers that it is compared with. */
export interface Servers {
  service: MeasuredService
  /** Bare Fastify on the service's PostgreSQL, with a row that has `bareQuoteId`. */
  bare: Server
  /** Prism's mock of our own API document. */
  mock: Server
}

export const bareQuoteId = 'quote_bare'

/** Starts the servers that this service is compared with. They stop with it. */
export async function startServers(): Promise<Servers> {
  const service = await startMeasuredService()
  const start = async (startOn: (port: number) => Promise<ServerProcess>): Promise<Server> => {
    const port = await findFreePort()
    const server = await startOn(port)
    service.alsoStop(server.stop)
    return { url: `http://127.0.0.1:${port}`, processId: server.processId ?? 0 }
  }
  try {
    await createBareTable(service.database)
    const bare = await start((port) =>
      forkServer('bench/requests/bare-server.ts', [service.connectionString, String(port)]),
    )
    return { service, bare, mock: await start(startMock) }
  } catch (error) {
    await service.stop()
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

/** Starts Prism without a log, because the service logs errors only. */
async function startMock(port: number): Promise<ServerProcess> {
  const startedAt = performance.now()
  // The peers have packages of their own: `npm install --prefix bench/peers`.
  const peers = new URL('../peers/package.json', import.meta.url)
  const prism = dirname(createRequire(peers).resolve('@stoplight/prism-cli/package.json'))
  const options = ['--port', String(port), '--verboseLevel', 'silent']
  const child = spawn(
    process.execPath,
    [join(prism, 'dist/index.js'), 'mock', 'openapi/partner-api.json', ...options],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...loopbackOnlyEnvironment },
    },
  )
  await waitUntilReady(`http://127.0.0.1:${port}/partner-api/Sandbox/postcodes`, child, (status) => status > 0)
  return { readyAfterMs: performance.now() - startedAt, processId: child.pid, stop: () => stop(child) }
}
