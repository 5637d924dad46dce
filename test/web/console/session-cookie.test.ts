import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { routes } from '../../../src/app/http/routes.ts'
import { call } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { connectWithScopes } from '../../support/partners.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
after(() => service.stop())
const { clientId, clientSecret } = service.credentials
const path = '/console/session'
const fromConsole = { 'X-Housebill-Console': clientId, 'Sec-Fetch-Site': 'same-origin' }

const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  call(service.baseUrl, method, path, body, { headers })

/** Signs in and returns the headers with which the console then calls. */
async function signedIn(): Promise<{ cookie: string; headers: Record<string, string> }> {
  const response = await send('POST', path, fromConsole, { clientId, clientSecret })
  assert.equal(response.status, 200, response.text)
  assert.deepEqual(response.body, { clientId, expiresInSeconds: 3_600 })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  return { cookie, headers: { ...fromConsole, Cookie: cookie } }
}

test('signing in returns no token, and the database has neither the id of the session nor a readable token', async () => {
  const { cookie } = await signedIn()
  const rows = await rawRows(service, 'select * from console_sessions', [])
  assert.equal(rows.length, 1)
  const [row] = rows
  const text = JSON.stringify(row)
  assert.ok(!text.includes(cookie.slice(cookie.indexOf('=') + 1)) && !text.includes('eyJ'))
})

test('the cookie opens the operations that the console needs, and no other operation', async () => {
  const { headers } = await signedIn()
  assert.equal((await send('GET', '/partner-api/Webhooks', headers)).status, 200)
  assert.equal((await send('GET', '/partner-api/Events', headers)).status, 200)
  const url = (template: string) => `/partner-api${template.replace(/\{\w+\}/, 'unknown')}`
  for (const { method, path: template, scope } of routes) {
    const { status } = await send(method, url(template), headers, method === 'GET' ? undefined : {})
    assert.equal(status === 401, scope !== 'webhooks:manage', `${method} ${template}: ${status}`)
  }
})

test('a cookie without the header of the console opens nothing, as when another site sends the request', async () => {
  const { cookie, headers } = await signedIn()
  const attempts: Record<string, string>[] = [
    { Cookie: cookie },
    { Cookie: cookie, Origin: service.baseUrl },
    { ...headers, 'Sec-Fetch-Site': 'cross-site' },
    { ...headers, 'X-Housebill-Console': 'sb_another' },
  ]
  for (const attempt of attempts) {
    const response = await send('POST', '/partner-api/Webhooks', attempt, {})
    assert.equal(response.status, 401, JSON.stringify(attempt))
  }
  for (const [method, body] of [
    ['POST', { clientId, clientSecret }],
    ['DELETE', undefined],
  ] as const) {
    const response = await send(method, path, { Cookie: cookie }, body)
    assert.deepEqual([response.status, response.headers.get('set-cookie')], [400, null])
  }
  assert.equal((await send('GET', '/partner-api/Webhooks', headers)).status, 200, 'the session goes on')
})

test('an Authorization header counts alone: with a bad one, a valid cookie does not help', async () => {
  const { headers } = await signedIn()
  assert.equal((await send('GET', '/partner-api/Webhooks', { ...headers, Authorization: 'Bearer a.b.c' })).status, 401)
})

test('signing out ends the session for everyone who has the cookie, and revokes its token', async () => {
  const { headers } = await signedIn()
  assert.deepEqual((await send('GET', path, headers)).status, 200)
  const revoked = async () => (await rawRows(service, 'select from revoked_tokens')).length
  assert.equal(await revoked(), 0)
  const out = await send('DELETE', path, headers)
  assert.equal(await revoked(), 1)
  assert.equal(out.status, 200)
  assert.match(
    out.headers.get('set-cookie') ?? '',
    /^housebill-console=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  assert.equal((await send('GET', '/partner-api/Webhooks', headers)).status, 401)
  assert.deepEqual((await send('GET', path, headers)).body, { clientId: null })
})

test('signing in again ends the earlier session of the browser', async () => {
  const { headers } = await signedIn()
  assert.equal((await send('POST', path, headers, { clientId, clientSecret })).status, 200)
  assert.equal((await send('GET', '/partner-api/Webhooks', headers)).status, 401)
})

test('credentials without the scope of the console, or with a wrong secret, begin no session', async () => {
  const { token } = await connectWithScopes(service, ['quotes:read'])
  const limited = { clientId: String(decodeJwt(token).client_id), clientSecret }
  const rejected = await send('POST', path, fromConsole, limited)
  assert.equal(rejected.status, 400)
  assert.match(rejected.text, /The console needs the scope webhooks:manage/)
  const wrong = await send('POST', path, fromConsole, { clientId, clientSecret: 'wrong' })
  assert.deepEqual([wrong.status, wrong.headers.get('set-cookie')], [401, null])
})

test('signing in counts against the limits of token calls', async (t) => {
  const limited = await startTestService({ TOKEN_RATE_LIMIT_PER_MINUTE: '2' })
  t.after(() => limited.stop())
  const attempt = () =>
    call(limited.baseUrl, 'POST', path, { clientId, clientSecret: 'wrong' }, { headers: fromConsole })
  const statuses = [(await attempt()).status, (await attempt()).status, (await attempt()).status]
  assert.deepEqual(statuses, [401, 401, 429])
})
