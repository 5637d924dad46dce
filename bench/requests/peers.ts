import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type autocannon from 'autocannon'
import type { Pool } from 'pg'
import { createPool } from '../../src/app/open-database.ts'
import { connectApi } from '../api-client.ts'
import { findFreePort, spawnServer } from '../child-service.ts'
import type { MeasuredService } from '../measured-service.ts'
import type { Run } from '../scenario.ts'
import { type Operation, referenceQuote, referenceTenants } from './prepare-operations.ts'
import { referenceTables } from './reference-tables.ts'
import type { Server } from './servers.ts'

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
  ['token', 'signed', 'signed', 'a secret, kept in memory'],
  ['transaction and partner', 'yes', 'yes', 'create only, no partner'],
  ['row security', 'yes', 'yes', 'no'],
  ['audit entry of a change', 'yes', 'yes', 'an event for each change'],
  ['event outbox', 'yes, dispatched', 'no', 'the same event'],
  ['stored idempotent response', 'if there is a key', 'no', 'no'],
  ['field encryption', 'yes', 'no', 'no'],
  ['request log', 'a line, and in a sandbox a row', 'no', 'no'],
]
export const dutyHolders = ['', 'Housebill', 'PostGraphile 5', 'Unleash 8']

const postgraphile = 'bench/peers/postgraphile-server.mjs'
const packagesFolder = 'bench/peers/node_modules'

/** Starts those that are installed, and checks once that their responses are right. */
export async function startPeers(run: Run, service: MeasuredService): Promise<Peer[]> {
  const start = { postgraphile: startPostGraphile, 'unleash-server': startUnleash }
  const peers: Peer[] = []
  for (const [name, startPeer] of Object.entries(start)) {
    if (existsSync(`${packagesFolder}/${name}`)) peers.push(await startPeer(run, service))
    else run.say(`without ${name}: it needs \`npm install --prefix bench/peers\``)
  }
  return peers
}

/** What PostGraphile needs besides the tables of the ladder: a relation, and one call that writes a quote whole. */
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

async function startUnleash(run: Run, service: MeasuredService): Promise<Peer> {
  const { database, pool } = await createDatabase(run, service, 'unleash')
  const token = '*:*.benchmark'
  const port = String(await findFreePort())
  const server = await startServer(run, port, [`${packagesFolder}/unleash-server/dist/server.js`], {
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: port,
    DATABASE_URL: database.href,
    DATABASE_SSL: 'false',
    INIT_ADMIN_API_TOKENS: token,
    CHECK_VERSION: 'false',
    SEND_TELEMETRY: 'false',
    // As many as a benchmark makes.
    UNLEASH_FEATURE_FLAGS_LIMIT: '10000000',
  })
  const headers = { authorization: token, 'content-type': 'application/json' }
  const flags = '/api/admin/projects/default/features'
  const named = (name: string) => JSON.stringify({ name, type: 'release', description: 'of the benchmark' })
  const create = { method: 'POST', path: flags, headers, body: named('first') } as const
  const get = { method: 'GET', path: `${flags}/first`, headers } as const
  await ask(server, create, /"name":"first"/)
  await ask(server, get, /"environments":\[/)
  const renamed = { ...create, setupRequest: (sent: autocannon.Request) => ({ ...sent, body: named(randomUUID()) }) }
  const operations = [
    { name: 'get-quote', title: 'Unleash 8: get a flag', requests: [get] },
    { name: 'create-quote', title: 'Unleash 8: create a flag', requests: [renamed] },
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
