import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { createDatabase, inTransaction } from '../src/db/database.ts'
import { findCredential, insertCredential, insertPartner } from '../src/domain/auth/partners.store.ts'
import { newId } from '../src/kernel/ids.ts'
import { type AuditFigures, reportAudit } from './audit-log/report.ts'
import { credentials, findFreePort, startService } from './child-service.ts'
import { percentile } from './percentile.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:audit`: measures whether the audit log slows down a partner that writes and reads much, and how many reads one commit
 * records. Loopback only; takes about a minute.
 */

const seconds = 4
const rounds = 3
const connections = 32

interface Caller {
  headers: Record<string, string>
  customerId: string
}

const run = beginRun('audit')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const service = await startService(dataDir, port)
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const pool = new Pool({ connectionString: postgres.connectionString, max: 2, pipeline: true })
try {
  const figures = await measure()
  console.log(reportAudit(figures))
  await run.record(figures)
} finally {
  await pool.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(): Promise<AuditFigures> {
  const addressUid = await findHome()
  const callers: Caller[] = []
  while (callers.length < connections) callers.push(await addPartner(addressUid))
  const newQuote = JSON.stringify({ addressUid, packages: ['electricity', 'gas'] })
  const load = {
    'create quote': (partners: readonly Caller[]) => send('/partner-api/Quotes', partners, newQuote),
    'get customer': (partners: readonly Caller[]) => send('/partner-api/Customers', partners),
  }
  const operations: { name: string; onePartner: number; manyPartners: number }[] = []
  for (const [name, sendFor] of Object.entries(load)) {
    await sendFor(callers)
    const one: number[] = []
    const many: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      one.push(await sendFor(callers.slice(0, 1)))
      many.push(await sendFor(callers))
    }
    operations.push({ name, onePartner: percentile(one, 50), manyPartners: percentile(many, 50) })
  }
  const { rows } = await pool.query<{ reads: number; commits: number }>(
    `select count(*)::int as reads, count(distinct xmin::text)::int as commits from audit_log where action = 'read'`,
  )
  const readsPerCommit = (rows[0]?.reads ?? 0) / (rows[0]?.commits ?? 1)
  return { connections, rounds, secondsEach: seconds, operations, readsPerCommit }
}

async function send(path: string, partners: readonly Caller[], body?: string): Promise<number> {
  let next = 0
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const caller = partners[next++ % partners.length]
      if (caller === undefined) return
      const { headers, customerId } = caller
      const request = body === undefined ? { path: `${path}/${customerId}` } : { path, body }
      client.setRequests([{ method: body === undefined ? 'GET' : 'POST', headers, ...request }])
    },
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path}: ${result.non2xx} responses other than 2xx`)
  return result.requests.average
}

async function findHome(): Promise<string> {
  const headers = await signIn(credentials)
  const response = await fetch(`http://127.0.0.1:${port}/partner-api/Addresses/lookup?postcode=LS29JT`, { headers })
  const [home] = (await response.json()) as { addressUid: string }[]
  return home?.addressUid ?? ''
}

/** Adds a partner with the benchmark's secret, and a quote with one tenant. */
async function addPartner(addressUid: string): Promise<Caller> {
  const db = createDatabase(pool)
  const existing = await findCredential(db, credentials.clientId)
  if (existing === undefined) throw new Error('the service has no credential for the benchmark')
  const partnerId = newId('partner')
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name: partnerId, now: new Date() })
    await insertCredential(tx, {
      clientId: partnerId,
      partnerId,
      secretHash: existing.secretHash,
      scopes: existing.scopes,
      now: new Date(),
    })
  })
  const headers = await signIn({ clientId: partnerId, clientSecret: credentials.clientSecret })
  const { quoteId } = await post('/Quotes', { addressUid, packages: ['electricity'] }, headers)
  const tenant = { name: 'Tenant A', email: 'a@example.com' }
  const { tenants } = await post(`/Quotes/${quoteId}/add-tenants`, { tenants: [tenant] }, headers)
  return { headers, customerId: tenants[0].tenantId }
}

async function signIn(client: { clientId: string; clientSecret: string }): Promise<Record<string, string>> {
  const { access_token: token } = await post('/Auth/token', client, {})
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

async function post(path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(`http://127.0.0.1:${port}/partner-api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return JSON.parse(await response.text())
}
