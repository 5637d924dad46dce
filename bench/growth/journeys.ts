import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { eventTypes } from '../../src/domain/events/event.ts'
import type { CallOptions, Partner } from '../../test/support/client.ts'
import { onboard, startHousehold } from '../../test/support/household.ts'
import { totalCost } from '../../test/support/quote-fixtures.ts'
import { succeeded } from '../../test/support/responses.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { type Deployment, readTableSizes } from './database.ts'

/** What one quote leaves behind on average, if one in ten is sold. */
export interface PerQuote {
  /** Of the table's name: rows, and bytes on disk with indexes. */
  tables: Map<string, { rows: number; bytes: number }>
  walBytes: number
}

/** Of so many quotes, one is sold. */
export const soldOneIn = 10
const measured = 500
/** A webhook's URL must begin with https. Set this for the service. */
export const receiverCertificate = 'test/support/test-only-receiver-certificate.pem'
const tls = { key: readFileSync('test/support/test-only-receiver-key.pem'), cert: readFileSync(receiverCertificate) }
/** Rows of these tables are few and do not grow with quotes. */
const leastRows = measured / 20

/**
 * Takes quotes from the first call to the last over the API: each gets two tenants and is priced, and one in ten is sold to both. Every POST has an
 * `Idempotency-Key`, and a webhook receives every event. What the first half writes is not measured, because it fills pages for the first time.
 */
export async function measureJourneys(deployment: Deployment): Promise<PerQuote> {
  const receiver = createServer(tls, (_request, response) => response.writeHead(204).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  try {
    const partner = withKeys(deployment.partner)
    succeeded(await partner.post('/Webhooks', { url: `https://127.0.0.1:${port}/`, events: eventTypes }))
    await takeJourneys(partner, deployment.pool)
    const before = await readState(deployment.pool)
    await takeJourneys(partner, deployment.pool)
    const after = await readState(deployment.pool)
    return compare(before, after)
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

async function takeJourneys(partner: Partner, pool: Pool): Promise<void> {
  for (let n = 0; n < measured; n++) {
    const { quoteId, tenants } = await startHousehold(partner, { reference: `order ${n}` })
    await totalCost(partner, quoteId)
    succeeded(await partner.get(`/Quotes/${quoteId}`))
    if (n % soldOneIn === 0) for (const tenantId of tenants) await onboard(partner, tenantId)
  }
  await waitFor('every event is delivered', async () => {
    const { rows } = await pool.query(
      'select (select count(*) from events where position is null) + (select count(*) from delivery_queue where is_event) = 0 as done',
    )
    return rows[0].done
  })
  await pool.query('vacuum')
}

interface State {
  walPosition: string
  sizes: Map<string, number>
  rows: Map<string, number>
}

async function readState(pool: Pool): Promise<State> {
  const sizes = await readTableSizes(pool)
  const rows = new Map<string, number>()
  for (const table of sizes.keys()) {
    const counted = await pool.query(`select count(*)::int as count from ${table}`)
    rows.set(table, counted.rows[0].count)
  }
  const wal = await pool.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as position`)
  return { walPosition: wal.rows[0].position, sizes, rows }
}

function compare(before: State, after: State): PerQuote {
  const grown = (figures: (state: State) => Map<string, number>, table: string) =>
    ((figures(after).get(table) ?? 0) - (figures(before).get(table) ?? 0)) / measured
  const tables = new Map(
    [...after.sizes.keys()].map((table) => [
      table,
      { rows: grown(({ rows }) => rows, table), bytes: grown(({ sizes }) => sizes, table) },
    ]),
  )
  return {
    tables: new Map([...tables].filter(([, { rows }]) => rows * measured >= leastRows)),
    walBytes: (Number(after.walPosition) - Number(before.walPosition)) / measured,
  }
}
