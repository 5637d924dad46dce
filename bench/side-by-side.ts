import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded.ts'
import { freePort } from './child-service.ts'
import { countCpuTime } from './cpu-time.ts'

const requests = 400
const connections = 16

/** A request that is measured. */
export interface Call {
  name: string
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  /** Whether each has an `Idempotency-Key` of its own. */
  withKey?: boolean
}

/** One of the two servers, with what there is to call about. */
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

export interface Comparison {
  /** What `bench/isolation-server.ts` is told: the server as it is, and the one without what is measured. */
  kinds: readonly [whole: string, without: string]
  rounds: number
  /** Prepares what is called about, on either server. */
  prepareCalls(api: string): Promise<Call[]>
}

/**
 * Two servers of the same code, side by side on one private PostgreSQL with a database for each, take turns; prints what the first one
 * costs as ratios to the second. Loopback only; stops by itself.
 */
export async function compareSideBySide({ kinds, rounds, prepareCalls }: Comparison): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-side-by-side-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  const children: ChildProcess[] = []
  const administrator = new Client({ connectionString: postgres.connectionString })
  try {
    await administrator.connect()
    const sides = [await startSide(kinds[0]), await startSide(kinds[1])] as const
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
  async function startSide(kind: string): Promise<Side> {
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
}

/** For preparing: a POST that has to succeed. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
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
  const { name, withKey = false, ...request } = call
  const withOwnKey: autocannon.Request = {
    setupRequest: (next) => ({ ...next, headers: { ...next.headers, 'idempotency-key': crypto.randomUUID() } }),
  }
  const cpuTime = countCpuTime(await side.processes())
  const startedAt = performance.now()
  const result = await autocannon({
    ...request,
    connections,
    amount: requests,
    ...(withKey ? { requests: [withOwnKey] } : {}),
  })
  const elapsedMs = (performance.now() - startedAt) / requests
  const cpuMs = cpuTime() / requests
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`)
  return { elapsedMs, cpuMs }
}

/** As throughput: without over with, so that 1 is "costs nothing". The median of the rounds, each a ratio of its own. */
function report(name: string, [whole, without]: [Turn[], Turn[]]): void {
  const ratio = (of: (turn: Turn) => number) =>
    median(whole.map((turn, round) => of(without[round] ?? turn) / of(turn))).toFixed(2)
  const cpu = (turns: Turn[]) => `${median(turns.map(({ cpuMs }) => cpuMs)).toFixed(3)} ms`
  console.log(
    `${name.padEnd(34)} requests/s: ratio ${ratio(({ elapsedMs }) => elapsedMs)}   processor time of server and database: ${cpu(whole)} with, ${cpu(without)} without, ratio ${ratio(({ cpuMs }) => cpuMs)}`,
  )
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
