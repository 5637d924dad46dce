import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { createConsoleGate } from '../console/console-sessions.route.ts'
import type { ConsoleSessions } from '../console/console-sessions.ts'

const name = '__Host-housebill-console'
const sessions: ConsoleSessions = {
  start: () => Promise.resolve({ id: 'new', lifetimeSeconds: 3_600 }),
  find: (id) =>
    Promise.resolve(
      id === 'known' ? { clientId: 'client one', accessToken: 'the token', expiresAt: new Date() } : undefined,
    ),
  end: () => Promise.resolve(),
}
const gate = createConsoleGate(sessions, 'https://bills.example')
const app = fastify()
app.all('/token', async (request) => (await gate.tokenOf(request)) ?? 'none')
app.post('/begin', async (request, reply) => {
  await gate.start(request, reply, { clientId: 'client', accessToken: 'token', lifetimeSeconds: 60 })
  return {}
})
app.post('/end', async (request, reply) => {
  await gate.end(request, reply)
  return {}
})

const own = { 'x-housebill-console': 'client%20one', cookie: `${name}=known` }
const sameOrigin = { ...own, 'sec-fetch-site': 'same-origin' }
const tokenFor = async (headers: Record<string, string>, method: 'GET' | 'POST' = 'POST') =>
  (await app.inject({ method, url: '/token', headers: { host: 'bills.example', ...headers } })).body

test('over https the cookie is bound to the host, hidden from scripts and never sent by other sites', async () => {
  const { headers } = await app.inject({ method: 'POST', url: '/begin' })
  assert.equal(headers['set-cookie'], `${name}=new; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict; Secure`)
  const ended = await app.inject({ method: 'POST', url: '/end' })
  assert.equal(ended.headers['set-cookie'], `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure`)
})

test("a request of the console's own page has the token of its session", async () => {
  assert.equal(await tokenFor(sameOrigin), 'the token')
  assert.equal(await tokenFor({ ...own, origin: 'https://bills.example' }), 'the token')
  assert.equal(await tokenFor(own, 'GET'), 'the token')
})

test('a request without the header, from another site, for another client or with two cookies has no token', async () => {
  const { 'x-housebill-console': _header, ...withoutHeader } = sameOrigin
  for (const headers of [
    withoutHeader,
    own,
    { ...own, 'sec-fetch-site': 'cross-site', origin: 'https://bills.example' },
    { ...own, 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'none' },
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...sameOrigin, 'x-housebill-console': 'client%20two' },
    { ...sameOrigin, cookie: `${name}=known; ${name}=known` },
    { ...sameOrigin, cookie: 'housebill-console=known' },
    { ...sameOrigin, cookie: `${name}=unknown` },
    { 'x-housebill-console': 'client%20one', 'sec-fetch-site': 'same-origin' },
  ])
    assert.equal(await tokenFor(headers), 'none', JSON.stringify(headers))
})
