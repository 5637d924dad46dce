import { existsSync } from 'node:fs'
import type autocannon from 'autocannon'
import type { Pool } from 'pg'
import { createPool } from '../../src/app/open-database.ts'
import { connectApi } from '../api-client.ts'
import { findFreePort, spawnServer } from '../child-service.ts'
import type { MeasuredService, Server } from '../measured-service.ts'
import type { Run } from '../scenario.ts'
import { type Operation, referenceQuote, referenceTenants } from './prepare-operations.ts'
import { referenceTables } from './reference-tables.ts'

/** A product from npm whose duties compare with ours, on the service's PostgreSQL. */
export interface Peer {
  server: Server
  /** Connects to the database that it uses, as a superuser. */
  pool: Pool
  operations: readonly PeerOperation[]
}

/** Named as the service's operation that compares with it. `leastTimes` of its rate is what the service has to reach. */
export type PeerOperation = Operation & { leastTimes?: number }

/** Who does what for a get and a create, for the report. */
export const duties: readonly (readonly string[])[] = [
  ['token', 'signed', 'signed'],
  ['transaction and partner', 'yes', 'yes'],
  ['row security', 'yes', 'yes'],
  ['audit entry of a change', 'yes', 'yes'],
  ['event outbox', 'yes, dispatched', 'no'],
  ['stored idempotent response', 'if there is a key', 'no'],
  ['field encryption', 'yes', 'no'],
  ['request log', 'a line, and in a sandbox a row', 'no'],
]
export const dutyHolders = ['', 'Housebill', 'PostGraphile 5']

const postgraphile = 'bench/peers/postgraphile-server.mjs'

/** Starts it if it is installed, and checks once that its responses are right. */
export async function startPeer(run: Run, service: MeasuredService): Promise<Peer | undefined> {
  if (existsSync('bench/peers/node_modules/postgraphile')) return startPostGraphile(run, service)
  run.say('without PostGraphile: it needs `npm install --prefix bench/peers`')
  return undefined
}

/** What PostGraphile needs besides the tables of the reference server: a relation, and one call that writes a quote whole. */
const postgraphileSchema = `
  comment on table ref_tenants is '@foreignKey (quote_id, partner_id) references ref_quotes (quote_id, partner_id)';
  create function ref_create_quote(quote jsonb, tenants jsonb) returns ref_quotes language plpgsql as $$
  declare created ref_quotes; begin
    insert into ref_quotes (quote_id, partner_id, data)
      values (gen_random_uuid(), current_setting('ref.partner'), quote) returning * into created;
    insert into ref_tenants (tenant_id, partner_id, quote_id, position, personal)
      select gen_random_uuid(), created.partner_id, created.quote_id, position, personal
      from jsonb_array_elements(tenants) with ordinality x (personal, position);
    return created;
  end $$;`

const createText = `mutation Create($quote: JSON!, $tenants: JSON!) {
  refCreateQuote(input: { quote: $quote, tenants: $tenants }) { result { quoteId data } } }`
const getText = `query Get($quoteId: UUID!, $partnerId: String!) {
  refQuoteByQuoteIdAndPartnerId(quoteId: $quoteId, partnerId: $partnerId) {
    quoteId data refTenantsByQuoteIdAndPartnerId(orderBy: POSITION_ASC) { nodes { personal } } } }`

async function startPostGraphile(run: Run, service: MeasuredService): Promise<Peer> {
  const { database, pool } = await createDatabase(run, service, 'postgraphile')
  await pool.query(`${referenceTables};${postgraphileSchema}`)
  database.username = 'ref_login'
  const keys = `${service.url}/.well-known/jwks.json`
  const port = String(await findFreePort())
  const server = await startServer(run, port, [postgraphile, database.href, port, keys])
  const { headers } = await connectApi(run, service.url)
  const send = (query: string, variables: object) =>
    ({ method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query, variables }) }) as const
  const create = send(createText, { quote: referenceQuote, tenants: referenceTenants })
  const { data } = JSON.parse(await ask(server, create, /"quoteId"/))
  const { quoteId } = data.refCreateQuote.result
  const { rows } = await pool.query<{ partnerId: string }>('select partner_id as "partnerId" from ref_audit')
  if (rows.length !== 4) throw new Error(`PostGraphile wrote ${rows.length} audit entries`)
  const get = send(getText, { quoteId, partnerId: rows[0]?.partnerId })
  await ask(server, get, /"packages".*Ada.*Grace.*Mary/)
  const alone = send(createText, { quote: referenceQuote, tenants: [] })
  const operations = [
    { name: 'get-quote', title: 'PostGraphile 5: get with 3 tenants', requests: [get], leastTimes: 1.8 },
    { name: 'create-quote', title: 'PostGraphile 5: create with 3 tenants', requests: [create], leastTimes: 1.8 },
    { name: 'create-quote', title: 'PostGraphile 5: create without tenants', requests: [alone] },
  ]
  return { server, pool, operations }
}

/** Adds a database to the service's PostgreSQL. */
async function createDatabase(run: Run, service: MeasuredService, name: string) {
  await service.pool.query(`create database ${name}`)
  const database = new URL(service.connectionString)
  database.pathname = name
  const pool = createPool(database.href, { warn: console.error })
  run.atEnd(() => pool.end())
  return { database, pool }
}

async function startServer(run: Run, port: string, program: string[], settings: Record<string, string> = {}) {
  const environment = { NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...settings }
  const { processId } = await spawnServer(run, program, Number(port), environment)
  return { url: `http://127.0.0.1:${port}`, processId }
}

/** Sends a request, and throws if the response is not as expected. */
async function ask({ url }: Server, { path, ...request }: autocannon.Request, expected: RegExp): Promise<string> {
  const response = await fetch(`${url}${path}`, request as RequestInit)
  const text = await response.text()
  if (!response.ok || !expected.test(text)) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}
