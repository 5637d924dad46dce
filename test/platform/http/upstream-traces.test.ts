import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import { call, type Partner, partnerWithToken } from '../../support/client.ts'
import { finalise, startHousehold } from '../../support/household.ts'
import { newSigningKey, signToken } from '../../support/identity-provider.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { json, type ScriptedServer, startScriptedServer } from '../outbound/scripted-server.ts'

const audience = 'https://bills.example/partner-api'
const issuer = 'https://id.example/'
const key = await newSigningKey('first')
const { d: _private, ...publicKey } = key
const servers: Record<'telecom' | 'database' | 'provider' | 'processor' | 'supplier', ScriptedServer> = {
  telecom: await startScriptedServer(json('{"products":[]}')),
  database: await startScriptedServer(json('{"available":true,"maxDownloadMbps":80}')),
  provider: await startScriptedServer(async (request, response) => {
    if (request.method === 'GET') return json(JSON.stringify({ keys: [publicKey] }))(request, response)
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, sub: 'acme', client_id: 'acme', aud: audience, iat, exp: iat + 3_600, jti: '1' }
    const access_token = await signToken(key, claims)
    json(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3_600 }))(request, response)
  }),
  // Rejects every request, because only the headers that it receives matter here.
  processor: await startScriptedServer(json('{"error":{"type":"api_error","message":"no"}}', 500)),
  supplier: await startScriptedServer(json('{}', 500)),
}
let service: TestService
let withAddressSupplier: TestService
before(async () => {
  service = await startTestService({
    AUTH_AUDIENCE: audience,
    IDP_ISSUER: issuer,
    IDP_TOKEN_URL: `${servers.provider.baseUrl}/token`,
    IDP_JWKS_URL: `${servers.provider.baseUrl}/jwks`,
    SANDBOX_CLIENT_ID: 'acme',
    SANDBOX_CLIENT_SECRET: '',
    HOME_TELECOM_URL: servers.telecom.baseUrl,
    BROADBAND_DATABASE_URL: servers.database.baseUrl,
    PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_API_BASE: servers.processor.baseUrl,
  })
  withAddressSupplier = await startTestService({
    ADDRESS_SOURCE: 'os-places',
    ADDRESS_SOURCE_KEY: 'k',
    ADDRESS_SOURCE_BASE: servers.supplier.baseUrl,
  })
})
after(async () => {
  await Promise.all([service.stop(), withAddressSupplier.stop()])
  await Promise.all(Object.values(servers).map((server) => server.close()))
})

const state = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
let traces = 0
/** A new sampled trace. */
function newTrace(): { traceId: string; traceparent: string } {
  traces += 1
  const traceId = traces.toString(16).padStart(32, 'a')
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
}

/** Returns the headers that a system received while `work` ran. */
async function sentTo(system: keyof typeof servers, work: () => Promise<unknown>): Promise<IncomingHttpHeaders[]> {
  const { requests } = servers[system]
  requests.length = 0
  await work()
  assert.ok(requests.length > 0, `${system} was called`)
  return requests.map(({ headers }) => headers)
}

/** Asserts that every request continues the trace with a new span id and an unchanged `tracestate`. */
function assertContinued(sent: IncomingHttpHeaders[], traceId: string): void {
  for (const { traceparent, tracestate } of sent) {
    assert.match(String(traceparent), new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`))
    assert.equal(tracestate, state)
  }
}

async function connect(headers: Record<string, string> = {}): Promise<Partner> {
  const credentials = { client_id: 'acme', client_secret: 'secret', audience, grant_type: 'client_credentials' }
  const answer = await call(service.baseUrl, 'POST', '/partner-api/Auth/token', credentials, { headers })
  return partnerWithToken(service.baseUrl, succeeded(answer).access_token)
}

test('calls to the identity provider for tokens and keys continue the trace of the request', async () => {
  const forToken = newTrace()
  let partner: Partner | undefined
  const tokens = await sentTo('provider', async () => {
    partner = await connect({ traceparent: forToken.traceparent, tracestate: state })
  })
  // The first token makes the service fetch the key that the token names.
  assert.ok(tokens.length >= 2)
  assertContinued(tokens, forToken.traceId)
  assert.equal((await partner?.get('/Quotes'))?.status, 200)
})

test('calls to the broadband upstreams for a check continue the trace of the request', async () => {
  const partner = await connect()
  for (const system of ['telecom', 'database'] as const) {
    const { traceId, traceparent } = newTrace()
    const home = ordinaryProperty(system === 'telecom' ? 0 : 1).addressUid
    const sent = await sentTo(system, () =>
      partner.get(`/Quotes/run-broadband-availability-check/${home}`, { headers: { traceparent, tracestate: state } }),
    )
    assertContinued(sent, traceId)
  }
})

test('calls to the payment processor, including retries, continue the trace of the request', async () => {
  const partner = await connect()
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { traceId, traceparent } = newTrace()
  const sent = await sentTo('processor', async () => {
    const headers = { traceparent, tracestate: state }
    const answer = await partner.post(`/Customers/${lead}/create-setup-intent`, undefined, { headers })
    rejected(answer, 503, 'service_unavailable')
  })
  assert.equal(sent.length, 2)
  assertContinued(sent, traceId)
})

test('calls to the address supplier for a lookup continue the trace of the request', async () => {
  const token = await call(
    withAddressSupplier.baseUrl,
    'POST',
    '/partner-api/Auth/token',
    withAddressSupplier.credentials,
  )
  const partner = partnerWithToken(withAddressSupplier.baseUrl, succeeded(token).access_token)
  const { traceId, traceparent } = newTrace()
  const sent = await sentTo('supplier', () =>
    partner.get('/Addresses/lookup?postcode=LS2+9JT', { headers: { traceparent, tracestate: state } }),
  )
  assertContinued(sent, traceId)
})

let homes = 10
/** Sends a check of a new property with these headers, and returns the headers that the upstreams receive. */
async function sentFor(headers: Record<string, string>): Promise<IncomingHttpHeaders> {
  const partner = await connect()
  homes += 1
  const path = `/Quotes/run-broadband-availability-check/${ordinaryProperty(homes).addressUid}`
  const [sent = {}] = await sentTo('telecom', () => partner.get(path, { headers }))
  return sent
}

const tooMany = Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(',')
for (const [what, tracestate] of [
  ['malformed', 'Rojo=1'],
  ['with a duplicate key', 'a=1,a=2'],
  ['with 33 members', tooMany],
  ['with 513 characters', `a=${'x'.repeat(200)},b=${'x'.repeat(200)},c=${'x'.repeat(105)}`],
] as const) {
  test(`a tracestate ${what} is dropped, and the trace continues`, async () => {
    const { traceId, traceparent } = newTrace()
    const sent = await sentFor({ traceparent, tracestate })
    assert.match(String(sent.traceparent), new RegExp(`^00-${traceId}-`))
    assert.equal(sent.tracestate, undefined)
  })
}

for (const traceparent of [undefined, 'nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
  test(`a tracestate is dropped if the traceparent is unusable (${traceparent ?? 'none'})`, async () => {
    const sent = await sentFor({ ...(traceparent === undefined ? {} : { traceparent }), tracestate: state })
    assert.match(String(sent.traceparent), /^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    assert.equal(sent.tracestate, undefined)
  })
}

test('the longest valid tracestate is passed on unchanged', async () => {
  const tracestate = `a=${'x'.repeat(200)},b=${'x'.repeat(200)},c=${'x'.repeat(104)}`
  assert.equal(tracestate.length, 512)
  const sent = await sentFor({ traceparent: newTrace().traceparent, tracestate })
  assert.equal(sent.tracestate, tracestate)
})
