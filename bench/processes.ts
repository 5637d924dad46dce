import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type autocannon from 'autocannon'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { credentials, findFreePort, type ServerProcess, startService } from './child-service.ts'
import { startTreeTimer } from './cpu-time.ts'
import { reportProcesses, summarise, type Turn } from './processes/report.ts'
import { beginRun } from './results.ts'
import { sendRequests } from './send-requests.ts'

/*
 * `npm run bench:processes`: the processor time and the rate of requests with several processes, compared with one process without a
 * parent. The services run side by side, each with a database of its own on one private PostgreSQL, and take turns. Limits are counted.
 * Loopback only; takes about two minutes. Runs only on Linux.
 */

const rounds = Number(process.argv[2] ?? 15)
const requestsPerTurn = 600
const connections = 16
const oneChild = ['bench/processes/one-child.ts']

interface Variant {
  name: string
  environment: Record<string, string>
  program?: readonly string[]
}

/** The first is what the others are compared with. */
const variants: readonly Variant[] = [
  { name: 'one process, without a parent', environment: {} },
  { name: 'a parent and one process', environment: {}, program: oneChild },
  { name: '`PROCESSES=2`', environment: { PROCESSES: '2' } },
]

interface Contender extends Variant {
  service: ServerProcess
  calls: readonly { name: string; request: autocannon.Options }[]
}

const run = beginRun('processes')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined, settings: { max_connections: '300' } })
const contenders: Contender[] = []
try {
  for (const [index, variant] of variants.entries()) contenders.push(await start(variant, index))
  const calls = new Map<string, Map<string, Turn[]>>()
  for (let round = -1; round < rounds; round += 1) {
    for (const index of contenders.keys()) {
      // Each variant is first, second and last equally often.
      const contender = contenders[(index + round + 1) % contenders.length]
      if (contender !== undefined) await takeTurn(contender, calls, round < 0)
    }
  }
  const figures = { rounds, requestsPerTurn, connections, calls: summarise(calls) }
  console.log(reportProcesses(figures))
  await run.record(figures)
} finally {
  for (const { service } of contenders) await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function start(variant: Variant, index: number): Promise<Contender> {
  const admin = new Client({ connectionString: postgres.connectionString })
  await admin.connect()
  await admin.query(`create database bench_${index}`)
  await admin.end()
  const url = new URL(postgres.connectionString)
  url.pathname = `/bench_${index}`
  const port = await findFreePort()
  const environment = { DATABASE_URL: url.href, RATE_LIMIT_PER_SECOND: '1000000', ...variant.environment }
  const service = await startService(join(dataDir, String(index)), port, environment, variant.program)
  return { ...variant, service, calls: await prepareCalls(`http://127.0.0.1:${port}/partner-api`) }
}

async function prepareCalls(api: string): Promise<Contender['calls']> {
  const json = { 'content-type': 'application/json' }
  const token = (await send(`${api}/Auth/token`, json, credentials)).access_token
  const headers = { ...json, authorization: `Bearer ${token}` }
  const response = await fetch(`${api}/Addresses/lookup?postcode=LS29JT`, { headers })
  const [address] = (await response.json()) as { addressUid: string }[]
  const body = { addressUid: address?.addressUid, packages: ['electricity', 'gas'] }
  const { quoteId } = await send(`${api}/Quotes`, headers, body)
  return [
    { name: '`GET /Quotes/{id}`', request: { url: `${api}/Quotes/${quoteId}`, headers } },
    { name: '`POST /Quotes`', request: { url: `${api}/Quotes`, method: 'POST', headers, body: JSON.stringify(body) } },
  ]
}

async function send(url: string, headers: Record<string, string>, body: unknown): Promise<Record<string, string>> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

/** Measures each call once. */
async function takeTurn(
  contender: Contender,
  calls: Map<string, Map<string, Turn[]>>,
  isWarmUp: boolean,
): Promise<void> {
  for (const { name, request } of contender.calls) {
    const turn = await measure(contender, request)
    if (isWarmUp) continue
    const byVariant = calls.get(name) ?? new Map(variants.map((variant) => [variant.name, [] as Turn[]]))
    calls.set(name, byVariant)
    byVariant.get(contender.name)?.push(turn)
  }
}

async function measure({ service }: Contender, request: autocannon.Options): Promise<Turn> {
  const cpuTime = startTreeTimer(service.processId ?? 0)
  const { elapsedMs } = await sendRequests({ ...request, connections, amount: requestsPerTurn })
  return {
    cpuMicrosecondsPerRequest: (cpuTime() * 1_000) / requestsPerTurn,
    requestsPerSecond: (requestsPerTurn * 1_000) / elapsedMs,
  }
}
