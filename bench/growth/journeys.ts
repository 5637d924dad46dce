import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { eventTypes } from '../../src/events/event.ts'
import type { CallOptions, Partner } from '../../test/support/client.ts'
import { onboard, startHousehold } from '../../test/support/household.ts'
import { totalCost } from '../../test/support/quote-fixtures.ts'
import { succeeded } from '../../test/support/responses.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { startTreeTimer } from '../cpu-time.ts'
import type { Deployment } from './deployment.ts'

/** What one quote costs and leaves behind on average, if one in ten is sold. */
export interface PerQuote {
  /** Processor time of the service and of PostgreSQL. */
  serviceMs: number
  postgresMs: number
  /** Of the table's name: rows, and bytes on disk with indexes. */
  tables: Map<string, { rows: number; bytes: number }>
  walBytes: number
}

/** Of so many quotes, one is sold. */
const soldOneIn = 10
/** A webhook's URL must begin with https. Set this for the service. */
export const receiverCertificate = 'test/support/test-only-receiver-certificate.pem'
const tls = { key: readFileSync('test/support/test-only-receiver-key.pem'), cert: readFileSync(receiverCertificate) }
/** A table with fewer rows for each quote does not grow with quotes. */
const leastRows = 1 / 20

/**
 * Takes quotes from the first call to the last over the API: each gets two tenants and is priced, and one in ten is
 * sold to both. Every POST has an `Idempotency-Key`, and a webhook receives every event. What the first half writes is
 * not measured, because it fills pages for the first time.
 */
export async function measureJourneys(deployment: Deployment, measured: number): Promise<PerQuote> {
  const receiver = createServer(tls, (_request, response) => response.writeHead(204).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  try {
    const partner = withKeys(deployment.partner)
    succeeded(await partner.post('/Webhooks', { url: `https://127.0.0.1:${port}/`, events: eventTypes }))
    await takeJourneys(partner, deployment.pool, measured)
    const before = await readState(deployment)
    const { processId, postmasterId } = deployment
    const serviceTime = startTreeTimer(processId, [postmasterId])
    const postgresTime = startTreeTimer(postmasterId)
    await takeJourneys(partner, deployment.pool, measured)
    const [serviceMs, postgresMs] = [serviceTime() / measured, postgresTime() / measured]
    return { serviceMs, postgresMs, ...compare(before, await readState(deployment), measured) }
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

function withKeys(partner: Partner): Partner {
  return {
    ...partner,
    post: (path, body, options: CallOptions = {}) =>
      partner.post(path, body, { ...options, headers: { 'Idempotency-Key': randomUUID(), ...options.headers } }),
  }
}

async function takeJourneys(partner: Partner, pool: Pool, measured: number): Promise<void> {
  for (let n = 0; n < measured; n++) {
    const { quoteId, tenants } = await startHousehold(partner, { reference: `order ${n}` })
    await totalCost(partner, quoteId)
    succeeded(await partner.get(`/Quotes/${quoteId}`))
    if (n % soldOneIn === 0) for (const tenantId of tenants) await onboard(partner, tenantId)
  }
  await waitFor('every event is delivered', async () => {
    const { rows } = await pool.query(
      `select (select count(*) from events where position is null) + (select count(*) from delivery_queue
       where is_event) = 0 as done`,
    )
    return rows[0].done
  })
  await pool.query('vacuum')
}

interface State {
  walBytes: number
  tables: PerQuote['tables']
}

/**
 * The rows and bytes of each table with its indexes, partitions together, except those of a sandbox. Without the maps
 * of free space, which are as large in small tables as in large ones.
 */
async function readState({ pool }: Deployment): Promise<State> {
  const { rows: sizes } = await pool.query<{ name: string; bytes: number }>(`
    select coalesce(inhparent, c.oid)::regclass::text as name,
           sum(pg_relation_size(c.oid) + pg_indexes_size(c.oid)
               + coalesce(pg_relation_size(t.oid) + pg_indexes_size(t.oid), 0))::float8 as bytes
      from pg_class c left join pg_inherits on inhrelid = c.oid left join pg_class t on t.oid = c.reltoastrelid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not like 'sandbox%' group by 1`)
  const tables: PerQuote['tables'] = new Map()
  for (const { name, bytes } of sizes) {
    const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from ${name}`)
    tables.set(name, { rows: rows[0]?.count ?? 0, bytes })
  }
  const { rows } = await pool.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position`)
  return { walBytes: rows[0].position, tables }
}

function compare(before: State, after: State, measured: number): Pick<PerQuote, 'tables' | 'walBytes'> {
  const grown = [...after.tables].map(([name, { rows, bytes }]) => {
    const earlier = before.tables.get(name) ?? { rows: 0, bytes: 0 }
    return [name, { rows: (rows - earlier.rows) / measured, bytes: (bytes - earlier.bytes) / measured }] as const
  })
  return {
    tables: new Map(grown.filter(([, { rows }]) => rows >= leastRows)),
    walBytes: (after.walBytes - before.walBytes) / measured,
  }
}
