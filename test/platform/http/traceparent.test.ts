import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLogger } from '../../../src/app/logger.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { json, type ScriptedServer, startScriptedServer } from '../outbound/scripted-server.ts'

let telecom: ScriptedServer
let database: ScriptedServer
let service: TestService
let partner: Partner
const lines: string[] = []
before(async () => {
  telecom = await startScriptedServer(json('{"products":[]}'))
  database = await startScriptedServer(json('{"available":true,"maxDownloadMbps":80}'))
  service = await startTestService(
    {
      HOME_TELECOM_URL: telecom.baseUrl,
      BROADBAND_DATABASE_URL: database.baseUrl,
    },
    { log: createLogger('info', { write: (line) => void lines.push(line) }) },
  )
  partner = await connectPartner(service.baseUrl, service.credentials)
})
after(async () => {
  await service.stop()
  await Promise.all([telecom.close(), database.close()])
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = `00-${traceId}-00f067aa0ba902b7-01`

/** The traceparents that both upstreams received for the first check of a property. */
async function sentFor(home: number, headers: Record<string, string>): Promise<string[]> {
  telecom.requests.length = 0
  database.requests.length = 0
  await partner.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty(home).addressUid}`, { headers })
  return [...telecom.requests, ...database.requests].map((request) => String(request.headers.traceparent))
}

test("a caller's trace continues in calls to upstreams, with a separate span for each call", async () => {
  const sent = await sentFor(0, { traceparent: parent, tracestate: 'a=1,B=2, c=3' })
  assert.equal(sent.length, 2)
  assert.equal(telecom.requests[0]?.headers.tracestate, 'a=1,c=3', 'without its malformed member')
  for (const each of sent) assert.match(each, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  assert.equal(new Set([...sent, parent]).size, 3)
})

test('a request without a valid traceparent starts a new trace, shared by all calls made for it', async () => {
  const seen = new Set<string>()
  for (const [index, headers] of [
    {},
    { traceparent: 'nonsense', tracestate: 'a=1' },
    { traceparent: `00-${'0'.repeat(32)}-1-01` },
  ].entries()) {
    const sent = await sentFor(index + 1, headers as Record<string, string>)
    const traces = new Set(sent.map((each) => each.split('-')[1]))
    assert.equal(traces.size, 1)
    assert.equal(telecom.requests[0]?.headers.tracestate, undefined)
    for (const each of sent) assert.match(each, /^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    for (const trace of traces) seen.add(String(trace))
  }
  assert.equal(seen.size, 3)
})

test('simultaneous requests never share a trace, even if one of them has a body', async () => {
  telecom.requests.length = 0
  const own = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
  await Promise.all([
    ...own.map((trace, index) =>
      partner.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty(index + 10).addressUid}`, {
        headers: { traceparent: `00-${trace}-00f067aa0ba902b7-00` },
      }),
    ),
    partner.post('/Quotes', { addressUid: ordinaryProperty(0).addressUid }, { headers: { traceparent: parent } }),
  ])
  const traces = telecom.requests.map((request) => String(request.headers.traceparent).split('-')[1])
  assert.deepEqual(traces.sort(), own)
})

test("every line that is logged for a request has the request's trace id", async () => {
  lines.length = 0
  await partner.post('/Quotes', { addressUid: 'x' }, { headers: { traceparent: parent } })
  await fetch(`${service.baseUrl}/partner-api/Quotes`, {
    headers: { traceparent: parent, authorization: 'Bearer x.y.z' },
  })
  const own = lines.filter((line) => line.includes('"reqId"')).map((line) => JSON.parse(line))
  assert.ok(own.some(({ log }) => log === 'security'))
  for (const line of own) assert.equal(line.traceId, traceId, line.msg)
})

test('the line that is logged for a failed call to an upstream has the trace id of the request', async () => {
  lines.length = 0
  telecom.respondWith(json('{"products":"unusable"}'))
  await sentFor(20, { traceparent: parent })
  telecom.respondWith(json('{"products":[]}'))
  const [line = '{}'] = lines.filter((each) => each.includes('"kind":"wrong-shape"'))
  assert.equal(JSON.parse(line).traceId, traceId)
})
