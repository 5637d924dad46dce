import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded.ts'
import { credentials, freePort } from './child-service.ts'
import { countCpuTime } from './cpu-time.ts'

/*
 * `npm run bench:isolation`: what it costs that PostgreSQL keeps partners apart, as ratios to the same server on a database
 * that does not. Both run side by side and take turns, a few hundred requests each. Loopback only; a minute or two; stops by itself.
 */
const rounds = Number(process.argv[2] ?? 25)
const requests = 400
const connections = 16

interface Call {
  name: string
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

/** One of the two servers, with a household to call about. */
interface Side {
  calls: Call[]
  /** The server and its database connections. */
  processes(): Promise<number[]>
}

/** A number of requests: how long they took, and what they cost of a processor's time, in milliseconds for each. */
interface Turn {
  elapsedMs: number
  cpuMs: number
}

const dataDir = await mkdtemp(join(tmpdir(), 'housebill-isolation-'))
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const children: ChildProcess[] = []
const administrator = new Client({ connectionString: postgres.connectionString })
try {
  await administrator.connect()
  const sides = [await startSide('with'), await startSide('without')] as const
  console.log(
    `${rounds} rounds of ${requests} requests each way, ${connections} connections, Node ${process.versions.node}`,
  )
  for (const [index, { name }] of sides[0].calls.entries()) {
    const turns: [Turn[], Turn[]] = [[], []]
    for (let round = -3; round < rounds; round += 1) {
      // Each leads every other time. The first rounds warm up.
      for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const turn = await take(sides[side], index)
        if (round >= 0) turns[side].push(turn)
      }
    }
    report(name, turns)
  }
} finally {
  await administrator.end()
  for (const child of children) child.kill('SIGKILL')
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** Starts the server on a database of its own. */
async function startSide(kind: 'with' | 'without'): Promise<Side> {
  const database = `bench_${kind}`
  await administrator.query(`create database ${database}`)
  const url = new URL(postgres.connectionString)
  url.pathname = `/${database}`
  const port = await freePort()
  const child = fork('bench/isolation-server.ts', [kind, url.href, String(port), dataDir])
  children.push(child)
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
  }
}

async function prepareCalls(api: string): Promise<Call[]> {
  const { access_token: token } = await post(`${api}/Auth/token`, credentials, {})
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const found = await fetch(`${api}/Addresses/lookup?postcode=LS29JT`, { headers })
  const [address] = (await found.json()) as { addressUid: string }[]
  const newQuote = { addressUid: address?.addressUid, packages: ['electricity', 'gas'] }
  const { quoteId } = await post(`${api}/Quotes`, newQuote, headers)
  const tenants = ['a', 'b', 'c'].map((name) => ({ name: `Tenant ${name}`, email: `${name}@example.com` }))
  await post(`${api}/Quotes/${quoteId}/add-tenants`, { tenants }, headers)
  return [
    { name: 'get quote', method: 'GET', url: `${api}/Quotes/${quoteId}`, headers },
    { name: 'total cost', method: 'GET', url: `${api}/Quotes/${quoteId}/total-cost`, headers },
    { name: 'create quote', method: 'POST', url: `${api}/Quotes`, headers, body: JSON.stringify(newQuote) },
  ]
}

async function post(url: string, body: unknown, headers: Record<string, string>): Promise<Record<string, string>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}

async function take(side: Side, index: number): Promise<Turn> {
  const call = side.calls[index]
  if (call === undefined) throw new Error('both sides have the same calls')
  const { name, ...request } = call
  const cpuTime = countCpuTime(await side.processes())
  const startedAt = performance.now()
  const result = await autocannon({ ...request, connections, amount: requests })
  const elapsedMs = (performance.now() - startedAt) / requests
  const cpuMs = cpuTime() / requests
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`)
  return { elapsedMs, cpuMs }
}

/** As throughput: without over with, so that 1 is "costs nothing". The median of the rounds, each a ratio of its own. */
function report(name: string, [isolated, open]: [Turn[], Turn[]]): void {
  const ratio = (of: (turn: Turn) => number) =>
    median(isolated.map((turn, round) => of(open[round] ?? turn) / of(turn))).toFixed(2)
  const cpu = (turns: Turn[]) => `${median(turns.map(({ cpuMs }) => cpuMs)).toFixed(3)} ms`
  console.log(
    `${name.padEnd(14)} requests/s: ratio ${ratio(({ elapsedMs }) => elapsedMs)}   processor time of server and database: ${cpu(isolated)} with, ${cpu(open)} without, ratio ${ratio(({ cpuMs }) => cpuMs)}`,
  )
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
