import { existsSync } from 'node:fs'
import type { Pool } from 'pg'
import { findFreePort, type ServerProcess, spawnServer } from '../child-service.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import type { Run } from '../scenario.ts'

interface Server {
  url: string
  processId: number
}

/** The service as shipped, and the servers that it is compared with. */
export interface Servers {
  service: MeasuredService
  /** Bare Fastify on the service's PostgreSQL, with a row that has `bareQuoteId`. */
  bare: Server
  /** Prism's mock of our own API document, if the peers are installed. */
  mock?: Server
}

export const bareQuoteId = 'quote_bare'

/** The peers have packages of their own: `npm install --prefix bench/peers`. */
const prism = 'bench/peers/node_modules/@stoplight/prism-cli/dist/index.js'

/** Starts the service and the servers that it is compared with. */
export async function startServers(run: Run): Promise<Servers> {
  const service = await startMeasuredService(run)
  const start = async (startOn: (port: number) => Promise<ServerProcess>): Promise<Server> => {
    const port = await findFreePort()
    const { processId } = await startOn(port)
    return { url: `http://127.0.0.1:${port}`, processId }
  }
  await createBareTable(service.pool)
  const bare = await start((port) => startBareServer(run, service.connectionString, port))
  if (!existsSync(prism)) {
    run.say('without the mock: it needs `npm install --prefix bench/peers`')
    return { service, bare }
  }
  // Without a log, because the service logs errors only.
  const options = ['mock', 'openapi/partner-api.json', '--verboseLevel', 'silent']
  const mock = await start((port) => spawnServer(run, [prism, ...options, '--port', String(port)], port))
  return { service, bare, mock }
}

/** Starts bare Fastify, which connects to PostgreSQL at its first request. */
export function startBareServer(run: Run, connectionString: string, port: number): Promise<ServerProcess> {
  return spawnServer(run, ['bench/requests/bare-server.ts', connectionString, String(port)], port)
}

/** A table with the columns that a quote needs at least. */
async function createBareTable(pool: Pool): Promise<void> {
  await pool.query(`
    create table bare_quotes (
      quote_id text primary key,
      partner_id text not null,
      address_uid text not null,
      status text not null,
      packages text[] not null,
      created_at timestamptz not null default now()
    )`)
  await pool.query(
    `insert into bare_quotes (quote_id, partner_id, address_uid, status, packages)
     select case number when 1 then $1 else 'quote_' || number end, 'partner', 'address', 'created', '{electricity,gas}'
     from generate_series(1, 10000) number`,
    [bareQuoteId],
  )
  await pool.query('vacuum analyze bare_quotes')
}
