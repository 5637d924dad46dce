import { fork } from 'node:child_process'
import { join } from 'node:path'
import { Client } from 'pg'
import { Pool } from 'undici'
import { credentials, findFreePort } from '../child-service.ts'
import { startCpuTimer } from '../cpu-time.ts'
import type { OmittedProtection } from './server-process.ts'

/** A call on the hot path. Its name is a description for the report. */
interface Call {
  name: string
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

/** A server with its own database, which contains a household for the calls. */
export interface ComparedServer {
  calls: readonly Call[]
  /** The process ids of the server and of the PostgreSQL processes that serve its database connections. */
  processes(): Promise<number[]>
  /** Does what PostgreSQL does by itself within a minute. Until then, plans made for a few rows would be measured. */
  renewStatistics(): Promise<void>
  stop(): void
}

/** The wall-clock time and CPU time of a series of requests, in milliseconds per request. */
export interface TimesPerRequest {
  elapsedMs: number
  cpuMs: number
}

const connections = 16

export async function startComparedServer(
  without: OmittedProtection,
  { administrator, connectionString, dataDir }: { administrator: Client; connectionString: string; dataDir: string },
): Promise<ComparedServer> {
  const database = `bench_without_${without}`
  await administrator.query(`create database ${database}`)
  const url = new URL(connectionString)
  url.pathname = `/${database}`
  const port = await findFreePort()
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [without, url.href, String(port), dataDir])
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  return {
    calls: await prepareCalls(`http://127.0.0.1:${port}/partner-api`),
    async processes() {
      const { rows } = await administrator.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
        [database],
      )
      return [...rows.map(({ pid }) => pid), ...(child.pid === undefined ? [] : [child.pid])]
    },
    async renewStatistics() {
      const client = new Client({ connectionString: url.href })
      await client.connect()
      await client.query('analyze')
      await client.end()
    },
    stop: () => void child.kill('SIGKILL'),
  }
}

/** Sends one of the server's calls `requests` times and measures the time per request. Throws if a request fails. */
export async function measureRequests(
  server: ComparedServer,
  callIndex: number,
  requests: number,
): Promise<TimesPerRequest> {
  const call = server.calls[callIndex]
  if (call === undefined) throw new Error('no such call')
  const { method, headers, body = null } = call
  const { origin, pathname: path } = new URL(call.url)
  const pool = new Pool(origin, { connections })
  let left = requests
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const answer = await pool.request({ path, method, headers, body })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${call.name}: ${answer.statusCode} ${text}`)
    }
  }
  const cpuTime = startCpuTimer(await server.processes())
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, lane))
  const turn = { elapsedMs: (performance.now() - startedAt) / requests, cpuMs: cpuTime() / requests }
  await pool.close()
  return turn
}

async function prepareCalls(api: string): Promise<Call[]> {
  const { access_token: token } = await ask(`${api}/Auth/token`, {}, credentials)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const found = await fetch(`${api}/Addresses/lookup?postcode=LS29JT`, { headers })
  const [address] = (await found.json()) as { addressUid: string }[]
  const newQuote = { addressUid: address?.addressUid, packages: ['electricity', 'gas'] }
  const { quoteId } = await ask(`${api}/Quotes`, headers, newQuote)
  const tenants = ['a', 'b', 'c'].map((name) => ({ name: `Tenant ${name}`, email: `${name}@example.com` }))
  await ask(`${api}/Quotes/${quoteId}/add-tenants`, headers, { tenants })
  const { leadTenantId } = await ask(`${api}/Quotes/${quoteId}`, headers)
  const person = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'a@example.com',
    phone: '07700 900123',
    dateOfBirth: '1990-12-10',
    psrDetails: {
      hasPsr: true,
      categories: [{ code: '02' }],
      consentToShare: true,
      authorisedContact: {
        firstName: 'Charles',
        lastName: 'Babbage',
        relationship: 'friend',
        phone: '07700 900124',
        consentGiven: true,
      },
    },
  }
  const customer = `${api}/Customers/${leadTenantId}`
  await ask(`${customer}/finalise-personal-information`, headers, person)
  const get = { method: 'GET', headers } as const
  const post = { method: 'POST', headers } as const
  return [
    { name: 'get quote: one statement', ...get, url: `${api}/Quotes/${quoteId}` },
    { name: 'total cost: one statement, with a stored price', ...get, url: `${api}/Quotes/${quoteId}/total-cost` },
    { name: 'get customer: reads personal details', ...get, url: customer },
    {
      name: 'create quote: parallel reads, one transaction',
      ...post,
      url: `${api}/Quotes`,
      body: JSON.stringify(newQuote),
    },
    {
      name: 'finalise personal information: writes personal and health data under a lock',
      ...post,
      url: `${customer}/finalise-personal-information`,
      body: JSON.stringify(person),
    },
  ]
}

/** Sends a POST with the body, or a GET if there is none. */
async function ask(url: string, headers: Record<string, string>, body?: unknown): Promise<Record<string, string>> {
  const answer = await fetch(url, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}
