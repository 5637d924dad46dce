import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createPartnerForClientId } from '../../src/partners/managing/create-partner.ts'
import { markPartnerDisabled } from '../../src/partners/partners.store.ts'
import { scopes } from '../../src/partners/scopes.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { type ApiResponse, call, partnerWithToken } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { newSigningKey, startIdentityProvider } from '../support/identity-provider.ts'
import { cipherOf, withDatabase } from '../support/partners.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { headingOf, problemsOf, TenantBrowser } from '../tenant-pages/tenant-browser.ts'
import { assertTokenError, sendForm, sendJson } from './token-calls.ts'

const audience = 'https://bills.example/partner-api'
const secret = (name: string) => `the secret of ${name}, %2B and "all"`
const clients = ['acme', 'leaving', 'unregistered'].map((clientId) => ({ clientId, clientSecret: secret(clientId) }))
const [acme = { clientId: '', clientSecret: '' }] = clients
/** What a standard OAuth client sends. */
const standardForm = { client_id: 'acme', client_secret: secret('acme'), grant_type: 'client_credentials' }
const tokenRequestBody = { ...standardForm, audience }

const provider = await startIdentityProvider({ audience, keys: [await newSigningKey('first')], clients })
after(() => provider.stop())
const heldLimits = { attemptMs: 8_907, deadlineMs: 9_007 }
const upstreamLimits = { ...heldLimits, retries: 0, failuresToOpen: 1_000 }
const limits = holdTimeouts((ms) => ms === heldLimits.attemptMs || ms === heldLimits.deadlineMs)
const service = await startTestService(
  {
    AUTH_AUDIENCE: audience,
    IDP_ISSUER: provider.issuer,
    IDP_TOKEN_URL: provider.tokenUrl,
    IDP_JWKS_URL: provider.jwksUrl,
    SANDBOX_CLIENT_ID: acme.clientId,
    SANDBOX_CLIENT_SECRET: '',
  },
  { upstreamLimits },
)
after(() => service.stop())
const path = '/partner-api/Auth/token'

before(() =>
  withDatabase(service, async (db) => {
    const leaving = await createPartnerForClientId(
      { db, clock: systemClock, cipher: await cipherOf(service) },
      { name: 'Leaving', clientId: 'leaving' },
    )
    assert.ok(leaving !== undefined && (await markPartnerDisabled(db, leaving.partnerId, new Date())))
  }),
)
afterEach(() => provider.respondWith(undefined))

/** Requests a token, asserts that it was issued and returns it. */
async function getToken(): Promise<string> {
  return succeeded(await sendJson(service, path, acme)).access_token
}

async function statusWith(token: string): Promise<number> {
  return (await partnerWithToken(service.baseUrl, token).get('/Quotes')).status
}

test('credentials in either form and encoding are exchanged for a token from the provider', async () => {
  for (const send of [
    () => sendJson(service, path, acme),
    () => sendForm(service, path, Object.entries(acme)),
    () => sendJson(service, path, tokenRequestBody),
    () => sendForm(service, path, Object.entries(tokenRequestBody)),
    () => sendForm(service, path, Object.entries(standardForm)),
    () => sendForm(service, path, Object.entries({ ...standardForm, resource: audience })),
  ]) {
    const answer = await send()
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { access_token: token, ...rest } = succeeded(answer)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3_600, scope: scopes.join(' ') })
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual([claims.iss, claims.aud, claims.client_id], [provider.issuer, audience, 'acme'])
    assert.equal(await statusWith(token), 200)
  }
})

test('a requested scope is passed to the provider, and limits the token', async () => {
  const token = succeeded(await sendJson(service, path, { ...acme, scope: 'quotes:read email' }))
  assert.equal(token.scope, 'quotes:read')
  const partner = partnerWithToken(service.baseUrl, token.access_token)
  assert.equal((await partner.get('/Quotes')).status, 200)
  rejected(await partner.get('/Addresses/lookup?postcode=LS29JT'), 403, 'insufficient_scope')
})

test('the lifetime is given in seconds, whether the provider gives a number, text or nothing', async () => {
  const issued = await fetch(provider.tokenUrl, { method: 'POST', body: new URLSearchParams(tokenRequestBody) })
  const { access_token: token } = (await issued.json()) as { access_token: string }
  for (const expires of [600, '600', undefined]) {
    const body = { access_token: token, token_type: 'bEARER', expires_in: expires }
    provider.respondWith((request, response) => {
      if (request.url?.startsWith('/token')) response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
    const answer = succeeded(await sendJson(service, path, acme))
    assert.equal(answer.token_type, 'Bearer')
    if (expires === undefined) assert.ok(answer.expires_in > 3_000 && answer.expires_in <= 3_600)
    else assert.equal(answer.expires_in, 600)
  }
})

test("the embedded provider's endpoints return 404 if an external provider is configured", async () => {
  for (const [method, where] of [
    ['POST', '/oauth/token'],
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/.well-known/oauth-authorization-server'],
  ] as const) {
    rejected(await call(service.baseUrl, method, where), 404, 'not_found')
  }
})

test('credentials return invalid_client if the provider rejects them, or if the client is unknown or disabled in Housebill', async () => {
  const attempt = (clientId: string, clientSecret = secret(clientId)) =>
    sendJson(service, path, { clientId, clientSecret })
  assert.match(assertTokenError(await attempt('acme', 'wrong'), 401, 'invalid_client'), /the client secret/)
  assertTokenError(await attempt('nobody'), 401, 'invalid_client')
  assertTokenError(await attempt('\0'), 401, 'invalid_client')
  assert.match(
    assertTokenError(await attempt('unregistered'), 401, 'invalid_client'),
    /not registered with this service/,
  )
  assert.match(assertTokenError(await attempt('leaving'), 401, 'invalid_client'), /disabled/)
})

test('a token request that is malformed, or that the provider rejects, returns invalid_request', async () => {
  const asked = provider.requests.length
  const other = { ...tokenRequestBody, audience: 'https://elsewhere.example' }
  assert.match(assertTokenError(await sendJson(service, path, other), 400, 'invalid_request'), /audience must be/)
  const elsewhere = await sendJson(service, path, { ...tokenRequestBody, resource: 'https://elsewhere.example' })
  assertTokenError(elsewhere, 400, 'invalid_target')
  const twice = await sendForm(service, path, [...Object.entries(tokenRequestBody), ['audience', audience]])
  assertTokenError(twice, 400, 'invalid_request')
  assert.equal(provider.requests.length, asked, 'the provider was not called')
  for (const [status, error] of [
    [400, 'invalid_scope'],
    [400, 'unauthorized_client'],
    [403, 'access_denied'],
    [400, 'provider-specific: <script>'],
  ] as const) {
    provider.respondWith((_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error, error_description: 'provider text' })),
    )
    const description = assertTokenError(await sendJson(service, path, acme), 400, 'invalid_request')
    assert.ok(!description.includes('words') && !description.includes('script'), description)
  }
})

function assertUnavailable(answer: ApiResponse): void {
  assertTokenError(answer, 503, 'temporarily_unavailable')
  assert.ok(Number(answer.headers.get('retry-after')) >= 1)
}

test('a token request returns temporarily_unavailable with Retry-After if the provider is slow or returns nonsense', async () => {
  const json = (status: number, body: unknown) => ({ status, type: 'application/json', body: JSON.stringify(body) })
  const token = { access_token: 'opaque', token_type: 'Bearer', expires_in: 60 }
  for (const { status, type, body } of [
    { status: 200, type: 'text/html', body: '<h1>Welcome</h1>' },
    { status: 200, type: 'application/json', body: '{"access_token":"ey' },
    json(200, { ...token, access_token: undefined }),
    json(200, { ...token, token_type: 'DPoP' }),
    json(200, { ...token, expires_in: 'an hour' }),
    json(200, token),
    json(400, { error: 'temporarily_unavailable' }),
    json(400, 'no'),
    json(500, { error: 'server_error' }),
    json(302, {}),
  ]) {
    provider.respondWith((_request, response) => response.writeHead(status, { 'content-type': type }).end(body))
    assertUnavailable(await sendJson(service, path, acme))
    provider.respondWith(undefined)
    assert.equal((await sendJson(service, path, acme)).status, 200, 'the next call works')
  }
  provider.respondWith((_request, response) => response.writeHead(429, { 'retry-after': '17' }).end())
  const limited = await sendJson(service, path, acme)
  assertUnavailable(limited)
  assert.equal(limited.headers.get('retry-after'), '17')

  provider.respondWith(() => undefined)
  assertUnavailable(await limits.passUntil(heldLimits.attemptMs, sendJson(service, path, acme)))
})

test('while the provider is down, no tokens can be issued, but existing ones keep working', async () => {
  const token = await getToken()
  assert.equal(await statusWith(token), 200)
  await provider.goDown()
  try {
    assertUnavailable(await sendJson(service, path, acme))
    for (let time = 0; time < 3; time += 1) assert.equal(await statusWith(token), 200)
  } finally {
    await provider.comeBack()
  }
  assert.equal(await statusWith(await getToken()), 200)
})

test('the pages for developers ask for a token of the provider instead of a secret', async () => {
  const browser = new TenantBrowser(service.baseUrl)
  const asked = await browser.open('/workplace/developers/webhooks')
  assert.match(asked.text, /come from an external identity provider/)
  assert.doesNotMatch(asked.text, /clientSecret/)
  const wrong = await browser.send('Sign in', { accessToken: 'something else' })
  assert.match(problemsOf(wrong).accessToken ?? '', /The token was rejected: it was not issued for this service/)
  assert.equal(headingOf(await browser.send('Sign in', { accessToken: await getToken() })), 'Webhooks')
})
