import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { credentials, findFreePort, startBareServer, startService } from './child-service.ts'

/*
 * `npm run bench`: measures the requests per second of the hot paths, each as a ratio to a bare Fastify route that does one prepared
 * SELECT on the same database. The paths alternate in one run. Loopback only; takes about two minutes.
 */

const seconds = Number(process.argv[2] ?? 5)
const rounds = 3
const connections = 32

interface Path {
  name: string
  method: 'GET' | 'POST'
  url: string
  headers?: Record<string, string>
  body?: string
}

const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const servicePort = await findFreePort()
const barePort = await findFreePort()
const service = await startService(dataDir, servicePort)
const database = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const bare = await startBareServer(database.connectionString, barePort)
try {
  const paths = await preparePaths(`http://127.0.0.1:${servicePort}`)
  const bareline: Path = {
    name: 'bare Fastify, one prepared SELECT',
    method: 'GET',
    url: `http://127.0.0.1:${barePort}/bare`,
  }
  await measure(bareline, 2)
  for (const path of paths) await measure(path, 1)
  const results = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const path of [bareline, ...paths]) {
      results.set(path.name, [...(results.get(path.name) ?? []), await measure(path, seconds)])
    }
  }
  const baseline = median(results.get(bareline.name) ?? [])
  console.log(`${rounds} rounds of ${seconds} s, ${connections} connections, Node ${process.versions.node}`)
  for (const [name, rates] of results) {
    const rate = median(rates)
    console.log(
      `${name.padEnd(36)} ${String(Math.round(rate)).padStart(7)} requests/s   ratio ${(rate / baseline).toFixed(2)}`,
    )
  }
} finally {
  await bare.stop()
  await service.stop()
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function preparePaths(baseUrl: string): Promise<Path[]> {
  const token = (await post(`${baseUrl}/partner-api/Auth/token`, credentials, {})).access_token
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const lookup = `${baseUrl}/partner-api/Addresses/lookup?postcode=LS29JT`
  const [address] = (await (await fetch(lookup, { headers })).json()) as { addressUid: string }[]
  const newQuote = { addressUid: address?.addressUid, packages: ['electricity', 'gas'] }
  const { quoteId } = await post(`${baseUrl}/partner-api/Quotes`, newQuote, headers)
  const tenants = ['a', 'b', 'c'].map((name) => ({ name: `Tenant ${name}`, email: `${name}@example.com` }))
  await post(`${baseUrl}/partner-api/Quotes/${quoteId}/add-tenants`, { tenants }, headers)
  const quote = `${baseUrl}/partner-api/Quotes/${quoteId}`
  return [
    { name: 'address lookup', method: 'GET', url: lookup, headers },
    {
      name: 'create quote',
      method: 'POST',
      url: `${baseUrl}/partner-api/Quotes`,
      headers,
      body: JSON.stringify(newQuote),
    },
    { name: 'get quote', method: 'GET', url: quote, headers },
    { name: 'total cost', method: 'GET', url: `${quote}/total-cost`, headers },
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

async function measure(path: Path, duration: number): Promise<number> {
  const { name, ...request } = path
  const result = await autocannon({ ...request, connections, duration })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} responses other than 2xx, ${result.errors} errors`)
  return result.requests.average
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
