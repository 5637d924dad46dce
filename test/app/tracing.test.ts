import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { json, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { connectPartner } from '../support/client.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { sandboxContents, sandboxCredentials } from '../support/sandbox-contents.ts'
import { findFreePort } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'
import { startServiceProcess } from './process/service-process.ts'

/** A span as OTLP has it in JSON, without what these tests do not look at. */
interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

interface Sent {
  resourceSpans: { resource: { attributes: { key: string }[] }; scopeSpans: { spans: SentSpan[] }[] }[]
}

const bodies: string[] = []
const collector = createServer(async (request, response) => {
  if (request.url === '/v1/traces') bodies.push(await text(request))
  response.setHeader('content-type', 'application/json').end('{}')
})
await once(collector.listen(0, '127.0.0.1'), 'listening')
const telecom = await startScriptedServer(json('{}', 500))
const database = await createTestDatabase(sandboxContents)
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-tracing-'))
const port = await findFreePort()
// A process of its own: the SDK reads its settings from the process, and stays in it.
const service = await startServiceProcess(
  {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: database.connectionString,
    DATA_DIR: dataDir,
    SANDBOX_CLIENT_ID: sandboxCredentials.clientId,
    SANDBOX_CLIENT_SECRET: sandboxCredentials.clientSecret,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    HOME_TELECOM_URL: telecom.baseUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  },
  { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_TIMEOUT: '500' },
)
after(async () => {
  service.signal('SIGTERM')
  await service.ended
  await telecom.close()
  await database.drop()
  await rm(dataDir, { recursive: true })
})
const partner = await connectPartner(service.baseUrl, sandboxCredentials)

function sentSpans(): SentSpan[] {
  const sent = bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans)
  return sent.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

/** Waits until a span of this trace with this name was sent, and returns all of the trace. */
function spansOf(traceId: string, name: string): Promise<SentSpan[]> {
  return waitFor(
    `${name} was sent`,
    async () => sentSpans().filter((span) => span.traceId === traceId),
    (spans) => spans.some((span) => span.name === name),
  )
}

const attributesOf = (span: SentSpan | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))

const caller = 'aaaaaaaaaaaaaaaa'
let traces = 0
/** The headers of a call in a new trace. */
function inNewTrace(flags: '00' | '01'): { traceId: string; headers: { traceparent: string } } {
  traces += 1
  const traceId = String(traces).padStart(32, '0')
  return { traceId, headers: { traceparent: `00-${traceId}-${caller}-${flags}` } }
}

const url = (port: number) => `https://127.0.0.1:${port}/`
const events = ['quote.status.changed']

test('one trace goes from a request through its statements to the delivery of the event that it caused', async (t) => {
  const receiver = await startReceiver(t)
  succeeded(await partner.post('/Webhooks', { url: url(receiver.port), events }))
  const { traceId, headers } = inNewTrace('01')
  const { addressUid } = ordinaryProperty()
  succeeded(await partner.post('/Quotes', { addressUid, packages: ['gas'] }, { headers }))
  await spansOf(traceId, 'createQuote')
  const spans = await spansOf(traceId, 'delivery')
  const [request] = spans.filter(({ name }) => name === 'createQuote')
  assert.equal(request?.parentSpanId, caller)
  assert.deepEqual(attributesOf(request), { operation: 'createQuote', status: '2xx' })
  const children = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
  assert.equal(children.length, spans.length - 1)
  const names = new Set(children.map(({ name }) => name))
  for (const name of ['insert quotes', 'insert events', 'commit', 'delivery'])
    assert.ok(names.has(name), [...names].join())
  const delivery = children.find(({ name }) => name === 'delivery')
  const expected = { event: 'quote.status.changed', attempt: 1, outcome: 'accepted', status: '2xx' }
  assert.deepEqual({ ...attributesOf(delivery), attempt: Number(attributesOf(delivery).attempt) }, expected)
  const [arrived] = receiver.events()
  assert.equal(arrived?.headers.traceparent, `00-${traceId}-${delivery?.spanId}-01`)
})

test('a call to an outside system has a span, with the kind of its failure, and the system can continue it', async () => {
  const { traceId, headers } = inNewTrace('01')
  await partner.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty(1).addressUid}`, { headers })
  const spans = await spansOf(traceId, 'runBroadbandAvailabilityCheck')
  const call = spans.find(({ name }) => name === 'home-telecom')
  assert.deepEqual(attributesOf(call), { upstream: 'home-telecom', kind: 'status' })
  assert.equal(call?.status.code, 2)
  const sent = telecom.requests.map((each) => each.headers.traceparent)
  assert.deepEqual(new Set(sent), new Set([`00-${traceId}-${call?.spanId}-01`]))
})

test('a trace that its caller does not sample is passed on and not sent', async (t) => {
  const receiver = await startReceiver(t)
  succeeded(await partner.post('/Webhooks', { url: url(receiver.port), events }))
  const { traceId, headers } = inNewTrace('00')
  const { addressUid } = ordinaryProperty(2)
  succeeded(await partner.post('/Quotes', { addressUid, packages: ['gas'] }, { headers }))
  await waitFor('the event has arrived', () => receiver.events().length > 0)
  assert.match(String(receiver.events()[0]?.headers.traceparent), new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  const later = inNewTrace('01')
  succeeded(await partner.get('/Quotes', { headers: later.headers }))
  await spansOf(later.traceId, 'listQuotes')
  assert.deepEqual(
    sentSpans().filter((span) => span.traceId === traceId),
    [],
  )
})

test('traces contain operations, tables, systems and outcomes, but no ids, paths, values or personal data', async () => {
  const name = 'Wilhelmina Featherstonehaugh'
  const { quoteId, lead } = await startHousehold(partner, { tenants: [{ name, email: 'wilhelmina@example.com' }] })
  await onboard(partner, lead, { firstName: 'Wilhelmina', lastName: 'Featherstonehaugh', phone: '07700 900777' })
  const { traceId, headers } = inNewTrace('01')
  await partner.get(`/Quotes/${quoteId}?secret=hunter2`, { headers })
  await fetch(`${service.baseUrl}/nothing/hunter2`)
  await fetch(`${service.baseUrl}/health/ready`)
  await spansOf(traceId, 'getQuote')
  const all = bodies.join('\n')
  for (const hidden of ['Wilhelmina', 'Featherstone', 'example.com', '900777', 'hunter2', '/health', '127.0.0.1'])
    assert.ok(!all.includes(hidden), hidden)
  assert.doesNotMatch(all, /[a-z]{1,20}_[0-9a-z]{26}|sb_[0-9a-f]{6}/)
  const keys = sentSpans().flatMap(({ attributes }) => attributes.map(({ key }) => key))
  const allowed = ['operation', 'status', 'db.system.name', 'upstream', 'kind', 'event', 'attempt', 'outcome']
  assert.deepEqual(new Set(keys), new Set(allowed))
  const names = new Set(sentSpans().map((span) => span.name))
  for (const each of names)
    assert.match(each, /^([A-Za-z]+|[a-z]+(-[a-z]+)+|[a-z]+ [a-z_0-9]+|unknown path|\/[\w\-/:.]*)$/)
  const resources = bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans)
  assert.deepEqual(
    new Set(resources.flatMap(({ resource }) => resource.attributes.map(({ key }) => key))),
    new Set([
      'service.name',
      'service.version',
      'telemetry.sdk.language',
      'telemetry.sdk.name',
      'telemetry.sdk.version',
    ]),
  )
})

test('while the collector does not respond, requests go on and the log says so', async () => {
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
  await createQuote(partner, { packages: ['gas'] })
  const fault = () => service.log.find(({ msg }) => msg === 'traces may be incomplete')?.fault
  await waitFor('it is logged', () => fault() !== undefined)
  assert.match(String(fault()), /ECONNREFUSED|closed|reset|hang up/i)
})
