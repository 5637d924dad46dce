import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectPartner, type Partner } from '../test/support/client.ts'
import { addTenants, attachCard, finalise, sampleTenants, startHousehold } from '../test/support/household.ts'
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'
import { succeeded } from '../test/support/responses.ts'
import { credentials, findFreePort } from './child-service.ts'
import { type EventLoopFigures, reportEventLoop } from './event-loop/report.ts'
import { percentile } from './percentile.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:event-loop`: for how long the largest requests keep the service's thread from other requests. The aim is at most 50 ms.
 * Loopback only; takes about half a minute.
 */

const repetitions = 12

const run = beginRun('event-loop')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const baseUrl = `http://127.0.0.1:${port}`
const service = fork('src/main.ts', ['serve'], {
  execArgv: ['--import', './bench/event-loop/watch.ts'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  env: {
    ...process.env,
    ...loopbackOnlyEnvironment,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_CLIENT_ID: credentials.clientId,
    SANDBOX_CLIENT_SECRET: credentials.clientSecret,
    RATE_LIMIT_PER_SECOND: '0',
    TOKEN_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  },
})
try {
  while ((await fetch(`${baseUrl}/health/ready`).catch(() => undefined))?.status !== 200) await sleep(50)
  const partner = await connectPartner(baseUrl, credentials)
  const requests: EventLoopFigures['requests'][number][] = []
  for (const [name, send] of await prepare(partner)) {
    // The first request loads and compiles code.
    await send()
    const delays: number[] = []
    for (let round = 1; round < repetitions; round += 1) {
      await longestDelay()
      await send()
      await sleep(5)
      delays.push(await longestDelay())
    }
    requests.push({ name, medianMs: percentile(delays, 50), longestMs: percentile(delays, 100) })
  }
  const figures = { repetitions: repetitions - 1, requests }
  console.log(reportEventLoop(figures))
  await run.record(figures)
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}

async function longestDelay(): Promise<number> {
  service.send('report')
  const [milliseconds] = (await once(service, 'message')) as [number]
  return milliseconds
}

/** The largest request of each kind. */
async function prepare(partner: Partner): Promise<[string, () => Promise<unknown>][]> {
  const { quoteId, lead, tenants } = await startHousehold(partner, { tenants: 12, products: ['fibre-150'] })
  const acceptances = [...tenants]
  for (const tenant of tenants) {
    succeeded(await finalise(partner, tenant))
    await attachCard(partner, tenant)
  }
  const page = async (path: string) => {
    const response = await fetch(baseUrl + path)
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    await response.arrayBuffer()
  }
  const other = await startHousehold(partner, { tenants: 1 })
  await finalise(partner, other.lead)
  const preview = async () => {
    const { previewUrl } = succeeded(await partner.get(`/Customers/${other.lead}/pci-preview-url-pdf`))
    await page(new URL(previewUrl).pathname + new URL(previewUrl).search)
  }
  const largeBody = { addressUid: 'x'.repeat(60_000) }
  return [
    [
      'accept terms, with its two documents',
      async () => succeeded(await partner.post(`/Customers/${acceptances.pop()}/accept-terms`)),
    ],
    ['export of a customer, with documents', async () => succeeded(await partner.get(`/Customers/${lead}/export`))],
    ['preview as PDF', preview],
    ['quote with twelve tenants', async () => succeeded(await partner.get(`/Quotes/${quoteId}`))],
    ['payment schedule', async () => succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))],
    ['100 quotes', async () => succeeded(await partner.get('/Quotes?limit=100'))],
    ['100 events', async () => succeeded(await partner.get('/Events?limit=100'))],
    [
      'create quote',
      async () =>
        succeeded(await partner.post('/Quotes', { addressUid: other.addressUid, packages: ['electricity', 'gas'] })),
    ],
    [
      'add eleven tenants',
      async () => {
        const { quoteId: empty } = await startHousehold(partner, { tenants: 1 })
        await addTenants(partner, empty, sampleTenants(12).slice(1))
      },
    ],
    ['a body of 60 kB that is rejected', () => partner.post('/Quotes', largeBody)],
    ['a token', () => connectPartner(baseUrl, credentials)],
    ['the API document', () => page('/openapi.json')],
    ['the API reference', () => page('/docs')],
    ['the console', () => page('/console')],
  ]
}
