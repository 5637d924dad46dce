import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { register } from 'prom-client'
import { json, type ScriptedServer, startScriptedServer } from '../../platform/outbound/scripted-server.ts'
import { alerts, dashboardQueries } from '../../structure/monitoring-files.ts'
import { readSource } from '../../structure/tree.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { finalise, startHousehold } from '../../support/household.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Exposition, readExposition } from './exposition.ts'

let telecom: ScriptedServer
let service: TestService
let other: TestService
let partner: Partner
before(async () => {
  telecom = await startScriptedServer(json('{"products":[]}'))
  const upstreamLimits = { retries: 1, failuresToOpen: 3, halfOpenAfterMs: 60_000 }
  const environment = { HOME_TELECOM_URL: telecom.baseUrl, SUPPLY_STATUS: 'reported' }
  service = await startTestService(environment, { upstreamLimits })
  other = await startTestService()
  partner = await connectPartner(service.baseUrl, service.credentials)
})
after(async () => {
  await Promise.all([service.stop(), other.stop()])
  await telecom.close()
})

async function scrape(of = service): Promise<Exposition> {
  const answer = await fetch(`${of.baseUrl}/metrics`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  return readExposition(await answer.text())
}

const check = (home: number) =>
  partner.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty(home).addressUid}`)

test('after calls with every outcome, the metrics of an upstream show calls, attempts, failures by kind, latency and breaker', async () => {
  const telecomIs = (page: Exposition, name: string, labels = {}) =>
    page.value(`housebill_upstream_${name}`, { upstream: 'home-telecom', ...labels })
  const before = await scrape()
  succeeded(await check(0))
  telecom.respondWith(json('{}', 503))
  for (const home of [1, 2, 3]) succeeded(await check(home))
  const page = await scrape()
  const grown = (name: string, labels = {}) => telecomIs(page, name, labels) - telecomIs(before, name, labels)
  assert.deepEqual([grown('calls_total'), grown('tries_total'), grown('failures_total', { kind: 'status' })], [4, 4, 1])
  assert.equal(grown('failures_total', { kind: 'circuit-open' }), 2)
  assert.deepEqual(
    ['closed', 'half-open', 'open'].map((state) => telecomIs(page, 'breaker', { state })),
    [0, 0, 1],
  )
  assert.deepEqual([grown('breaker_openings_total'), telecomIs(page, 'in_flight')], [1, 0])
  const buckets = page.samples.filter(
    ({ name, labels }) =>
      name === 'housebill_upstream_call_duration_seconds_bucket' && labels.upstream === 'home-telecom',
  )
  assert.deepEqual(
    buckets.map(({ labels }) => labels.le),
    ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'],
  )
  assert.deepEqual(
    buckets.map(({ value }) => value),
    buckets.map(({ value }) => value).sort((one, another) => one - another),
  )
  assert.equal(buckets.at(-1)?.value, telecomIs(page, 'call_duration_seconds_count'))
  const sum = telecomIs(page, 'call_duration_seconds_sum')
  assert.ok(sum > 0 && sum < 30, `${sum} seconds`)
})

test('a running call is counted as in flight', async () => {
  const arrived = Promise.withResolvers<() => void>()
  const slow = await startScriptedServer((request, response) =>
    arrived.resolve(() => json('{"products":[]}')(request, response)),
  )
  const waiting = await startTestService({ HOME_TELECOM_URL: slow.baseUrl })
  try {
    const own = await connectPartner(waiting.baseUrl, waiting.credentials)
    const checked = own.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty(0).addressUid}`)
    const answer = await arrived.promise
    const during = await scrape(waiting)
    assert.equal(during.value('housebill_upstream_in_flight', { upstream: 'home-telecom' }), 1)
    answer()
    succeeded(await checked)
    const after = await scrape(waiting)
    assert.equal(after.value('housebill_upstream_in_flight', { upstream: 'home-telecom' }), 0)
  } finally {
    await waiting.stop()
    await slow.close()
  }
})

test('a request is counted by operation and status class, or by path pattern if it has no operation', async () => {
  const before = await scrape()
  const count = (page: Exposition, operation: string, status: string) =>
    page.samples.find(
      ({ name, labels }) =>
        name === 'housebill_http_requests_total' && labels.operation === operation && labels.status === status,
    )?.value ?? 0
  succeeded(await partner.get('/Quotes'))
  succeeded(await partner.get('/Quotes?limit=1'))
  await partner.get('/Quotes?limit=0')
  await partner.get('/Quotes/quote_01h455vb4pex5vsknk084sn02q')
  await fetch(`${service.baseUrl}/health/live`)
  await fetch(`${service.baseUrl}/nothing/at/all`)
  const page = await scrape()
  const grown = (operation: string, status: string) => count(page, operation, status) - count(before, operation, status)
  assert.deepEqual([grown('listQuotes', '2xx'), grown('listQuotes', '4xx')], [2, 1])
  assert.equal(grown('getQuote', '4xx'), 1)
  assert.equal(grown('/health/live', '2xx'), 1)
  assert.equal(grown('unknown path', '4xx'), 1)
  assert.ok(count(page, 'issueToken', '2xx') >= 1)
  assert.ok(grown('/metrics', '2xx') >= 1)
})

test('database connections are counted as in use or idle, and callers without a connection as waiting', async () => {
  const quotes = await Promise.all(Array.from({ length: 24 }, () => startHousehold(partner, { tenants: 1 })))
  const holder = new Client({ connectionString: service.connectionString })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select 1 from quotes for update')
  const cancelled = quotes.map(({ quoteId }) => partner.post(`/Quotes/${quoteId}/cancel`))
  const during = await waitFor(
    'a request waits for a connection',
    scrape,
    (page) => page.value('housebill_postgres_waiting') >= 1,
  )
  const inUse = during.value('housebill_postgres_connections', { state: 'in_use' })
  assert.ok(inUse >= 4 && inUse <= 13, `${inUse}`)
  await holder.query('rollback')
  await holder.end()
  for (const answer of await Promise.all(cancelled)) succeeded(answer)
  const after = await scrape()
  assert.equal(after.value('housebill_postgres_waiting'), 0)
  assert.ok(after.value('housebill_postgres_connections', { state: 'idle' }) > 0)
})

test('while the database hangs the page comes without what it would tell, and is made again only after five seconds', async () => {
  const patient = await startTestService({}, { serverLimits: { metricsFreshForMs: 5_000 } })
  const holder = new Client({ connectionString: patient.connectionString })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table payment_entries in access exclusive mode')
    const read = async () => (await fetch(`${patient.baseUrl}/metrics`)).text()
    const during = await read()
    const told = new Set(readExposition(during).samples.map(({ name }) => name))
    assert.deepEqual(
      ['housebill_refunds_open', 'housebill_postgres_connections'].map((name) => told.has(name)),
      [false, true],
    )
    assert.equal(await read(), during)
  } finally {
    await holder.end()
    await patient.stop()
  }
})

test('two services in one process have separate metrics, and process metrics appear once', async () => {
  const [mine, theirs] = [await scrape(), await scrape(other)]
  assert.ok(mine.value('housebill_upstream_calls_total', { upstream: 'home-telecom' }) >= 4)
  assert.equal(theirs.value('housebill_upstream_calls_total', { upstream: 'home-telecom' }), 0)
  assert.deepEqual(register.getMetricsAsArray(), [])
  for (const page of [mine, theirs]) {
    assert.ok(page.value('process_cpu_seconds_total') > 0)
    assert.ok(page.types.has('nodejs_eventloop_lag_p99_seconds') && page.types.has('nodejs_gc_duration_seconds'))
  }
})

test('whatever is requested, labels contain operations, systems and states, but no ids, raw paths or personal data', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, tenants[0] ?? ''))
  await partner.get(`/Quotes/${quoteId}?secret=hunter2`)
  const page = await scrape()
  const ours = page.samples.filter(({ name }) => name.startsWith('housebill_'))
  const allowed = /^([a-z][A-Za-z]+|[a-z]+([-_][a-z]+)*|unknown path|\dxx|\d+(\.\d+)?|\+Inf|\/[\w\-/:.]*)$/
  for (const { name, labels } of ours) {
    assert.ok(
      Object.keys(labels).every((each) =>
        [
          'operation',
          'status',
          'le',
          'upstream',
          'kind',
          'state',
          'outcome',
          'reason',
          'due',
          'scheduled_job',
        ].includes(each),
      ),
    )
    for (const said of Object.values(labels)) {
      assert.match(said, allowed, name)
      assert.doesNotMatch(said, /quote_|tenant_|partner_|address_|sb_|hunter2/)
    }
  }
})

test('docs/operations.md describes every Housebill metric, and every metric that it describes exists', async () => {
  const page = await scrape()
  const families = [...page.types.keys()].filter((name) => name.startsWith('housebill_')).sort()
  const described = [...readSource('docs/operations.md').text.matchAll(/^\| `(housebill_\w+)` /gm)].map(
    ([, name]) => name,
  )
  assert.deepEqual(described.sort(), families)
})

test('every metric that the alert rules and the dashboard name exists, and the dashboard shows every one of ours', async () => {
  const page = await scrape()
  const queries = [...alerts.map(({ expr }) => expr), ...dashboardQueries]
  const named = new Set(queries.flatMap((expr) => expr.match(/\b(?:housebill|nodejs|process)_\w+/g) ?? []))
  const families = new Set(
    [...named].map((name) => (page.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))),
  )
  assert.deepEqual(
    [...families].filter((name) => !page.types.has(name)),
    [],
  )
  const shown = dashboardQueries.join('\n')
  const ours = [...page.types.keys()].filter((name) => name.startsWith('housebill_'))
  assert.deepEqual(
    ours.filter((name) => !shown.includes(name)),
    [],
  )
})
