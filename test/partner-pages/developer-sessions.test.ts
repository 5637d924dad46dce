import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { routes } from '../../src/app/http/routes.ts'
import { developerPages } from '../../src/partner-pages/developers/register-developer-pages.ts'
import type { Scope } from '../../src/partners/scopes.ts'
import { call, connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectWithScopes } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { sandboxCredentials } from '../support/sandbox-contents.ts'
import { shareTestService } from '../support/shared-service.ts'
import { headingOf, noticeOf, problemsOf, TenantBrowser } from '../tenant-pages/tenant-browser.ts'
import { root, signIn } from './developer-pages.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const { clientId, clientSecret } = service.credentials
const partner = await connectPartner(service.baseUrl, service.credentials)
const sessions = () => rawRows(service, 'select * from program_sessions where client_id = $1', [clientId])

test('whoever is not signed in is asked to, reads what is wrong, and then goes on where they were', async () => {
  const browser = new TenantBrowser(service.baseUrl)
  const asked = await browser.open(`${root}/events?type=quote.status.changed`)
  assert.deepEqual([asked.status, headingOf(asked)], [403, 'Sign in'])
  const wrong = await browser.send('Sign in', { clientId, clientSecret: 'not-the-secret' })
  assert.match(problemsOf(wrong).clientSecret ?? '', /The client id or the client secret is wrong/)
  assert.ok(wrong.text.includes(`value="${clientId}"`) && !wrong.text.includes('not-the-secret'))
  const page = await browser.send('Sign in', { clientId, clientSecret: ` ${clientSecret} ` })
  assert.deepEqual([page.status, page.path], [200, `${root}/events?type=quote.status.changed`])
  assert.match(page.text, /Sandbox: all data here is test data/)
  assert.ok(!page.text.includes(clientSecret))
})

test('a session has no readable token, ends with the next one and when signed out, and never leads elsewhere', async () => {
  const first = await signIn(service, partner)
  const cookie = first.cookiesFor('/')
  assert.match(cookie, /^housebill-developers=[\w-]{43}$/)
  const [row] = await sessions()
  assert.ok(!JSON.stringify(row).includes(cookie.split('=')[1] ?? '') && !JSON.stringify(row).includes('eyJ'))
  const response = await fetch(`${service.baseUrl}${root}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams({ clientId, clientSecret, next: '//evil.example/' }),
  })
  assert.equal(response.headers.get('location'), `${root}/`)
  assert.match(response.headers.get('set-cookie') ?? '', /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3\d{3}$/)
  assert.match((await first.open(`${root}/webhooks`)).text, /Your session has ended/)
  const second = await signIn(service, partner)
  const copied = second.cookiesFor('/')
  const revoked = async () => (await rawRows(service, 'select from revoked_tokens', [])).length
  const before = await revoked()
  assert.equal(headingOf(await second.send('Sign out')), 'You are signed out')
  assert.equal(await revoked(), before + 1)
  assert.equal((await fetch(`${service.baseUrl}${root}/webhooks`, { headers: { cookie: copied } })).status, 403)
})

test('the cookie opens these pages and no operation of the API', async () => {
  const browser = await signIn(service, partner)
  const headers = { cookie: browser.cookiesFor('/') }
  for (const { method, path } of routes) {
    const url = `/partner-api${path.replaceAll(/\{\w+\}/g, 'unknown')}`
    const { status } = await call(service.baseUrl, method, url, method === 'GET' ? undefined : {}, { headers })
    assert.equal(status, 401, `${method} ${path}`)
  }
})

test('a form of another site, or of an earlier session, does nothing', async () => {
  const browser = await signIn(service, partner, '/webhooks/new')
  const sent = { url: 'https://127.0.0.1:9/forged', events: 'quote.status.changed' }
  const foreign = await browser.post(`${root}/webhooks/new`, sent, { 'Sec-Fetch-Site': 'cross-site' })
  assert.deepEqual([foreign.status, headingOf(foreign)], [403, 'This page is out of date'])
  const signedIn = await browser.post(`${root}/sign-in`, { clientId, clientSecret }, { Origin: 'https://evil.example' })
  assert.deepEqual([signedIn.status, headingOf(signedIn)], [403, 'This page is out of date'])
  const earlier = await browser.post(`${root}/webhooks/new`, { ...sent, formToken: 'old' })
  assert.equal(earlier.status, 403)
  assert.match(noticeOf(earlier) ?? '', /nothing was sent/)
  assert.deepEqual(succeeded(await partner.get('/Webhooks')).data, [])
})

test('what was entered when the session ended is there after signing in, and is not sent by itself', async () => {
  const browser = await signIn(service, partner, '/webhooks/new')
  await rawRows(service, `update program_sessions set expires_at = now() where client_id = $1`, [clientId])
  const ended = await browser.send('Register', { url: 'https://127.0.0.1:9/typed', events: ['quote.status.changed'] })
  assert.match(ended.text, /Your session has ended.*What you entered is still here/)
  assert.equal(headingOf(await browser.send('Sign in', { clientId, clientSecret })), 'You are signed in')
  const back = await browser.send('Check it and go on')
  assert.equal(headingOf(back), 'Register a webhook')
  assert.ok(back.text.includes('value="https://127.0.0.1:9/typed"'))
  assert.match(back.text, /value="quote.status.changed" checked/)
  assert.deepEqual(succeeded(await partner.get('/Webhooks')).data, [])
})

const [manage, steer] = [['webhooks:manage'], ['sandbox:steer']] as const
const denied = 'This is not open to you'
for (const [scopes, open] of [
  [manage, { webhooks: 'Webhooks', events: 'Events', requests: denied, 'webhooks/new': 'Register a webhook' }],
  [
    steer,
    { webhooks: denied, events: denied, requests: 'Requests', 'webhooks/new': denied, 'deliveries/unknown': denied },
  ],
] satisfies [readonly Scope[], Record<string, string>][])
  test(`credentials with ${scopes.join(' ')} alone open its pages, and say which scope the others need`, async () => {
    const browser = await signIn(service, await connectWithScopes(service, scopes))
    for (const [name, heading] of Object.entries({ ...open, credentials: 'Credentials' })) {
      const page = await browser.open(`${root}/${name}`)
      assert.equal(headingOf(page), heading, name)
      assert.equal(page.status, heading === denied ? 403 : name === 'deliveries/unknown' ? 404 : 200, name)
      assert.equal(/needs the scope (webhooks:manage|sandbox:steer)/.test(page.text), heading === denied, name)
      assert.equal(page.text.includes(`href="${root}/webhooks"`), scopes === manage, `${name}: its header`)
    }
  })

test('credentials with neither scope begin no session, and others keep no scope that no page needs', async () => {
  const { token } = await connectWithScopes(service, ['quotes:read', 'psr:read'])
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open(`${root}/`)
  const given = { clientId: String(decodeJwt(token).client_id), clientSecret }
  assert.match(problemsOf(await browser.send('Sign in', given)).clientSecret ?? '', /neither of the scopes/)
  assert.equal(browser.cookiesFor('/'), '')
  const own = await (await signIn(service, partner)).open(`${root}/credentials`)
  assert.ok(own.text.includes(clientId) && own.text.includes('webhooks:manage') && !own.text.includes('psr:read'))
})

test('the pages of a suspended partner say so, and change nothing', async () => {
  const browser = await signIn(service, partner, '/webhooks/new')
  const suspend = (at: string) =>
    rawRows(
      service,
      `update partners set suspended_at = ${at} where partner_id = (select partner_id from credentials where client_id = $1)`,
      [clientId],
    )
  await suspend('now()')
  try {
    // Credentials are read again after two seconds. A new session reads them at once.
    const other = await signIn(service, await connectWithScopes(service, manage))
    const shown = await other.open(`${root}/webhooks`)
    assert.deepEqual([headingOf(shown), shown.status], ['Your access is suspended', 403])
  } finally {
    await suspend('null')
  }
  assert.equal(headingOf(await browser.open(`${root}/webhooks`)), 'Webhooks')
})

test('guides show the client id of who is signed in, else that of the sandbox on the reader’s machine, else an example', async () => {
  const read = (address: string, cookie = '') => fetch(address, { headers: { cookie } })
  for (const [path, before] of [
    ['/docs/guides/quickstart', 'export</span> '],
    ['/docs/guides/quickstart.md', 'export '],
  ]) {
    const [here, elsewhere] = [service.baseUrl, service.baseUrl.replace('127.0.0.1', 'localhost')]
    const browser = await signIn(service, partner)
    const cookie = browser.cookiesFor('/')
    const stranger = await read(`${elsewhere}${path}`)
    for (const [response, id, caching] of [
      [await read(`${here}${path}`, cookie), clientId, 'private, no-cache'],
      [await read(`${elsewhere}${path}`, cookie), clientId, 'private, no-cache'],
      [await read(`${here}${path}`), sandboxCredentials.clientId, 'private, no-cache'],
      [stranger, 'sb_example', 'no-cache'],
    ] as const) {
      const page = await response.text()
      assert.ok(page.includes(`${before}SANDBOX_CLIENT_ID=${id}\n`), `${path} ${id}`)
      assert.ok(![clientSecret, sandboxCredentials.clientSecret].some((secret) => page.includes(secret)))
      assert.equal(response.headers.get('cache-control'), caching)
    }
    await browser.send('Sign out')
    const again = await read(`${elsewhere}${path}`, cookie)
    assert.equal(again.headers.get('etag'), stranger.headers.get('etag'))
  }
})

test('the addresses of the console lead to the pages', async () => {
  for (const [path, location] of [
    ['/console', `${root}/`],
    ['/console/webhooks/x/deliveries?status=failed', `${root}/webhooks/x/deliveries?status=failed`],
  ]) {
    const response = await fetch(`${service.baseUrl}${path}`, { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [301, location])
  }
})

test('a person with the role of a developer opens the pages and is named in the audit log; others read what they lack, on every page and for every form', async () => {
  const [{ partner_id: partnerId } = {}] = await rawRows(
    service,
    'select partner_id from credentials where client_id = $1',
    [clientId],
  )
  const [{ client_id: oldest } = {}] = await rawRows(
    service,
    'select client_id from credentials where partner_id = $1 order by created_at, client_id',
    [partnerId],
  )
  const signedIn = async (role: string) => {
    const browser = new TenantBrowser(service.baseUrl)
    await browser.open('/workplace')
    await browser.send('Sign in', { who: `${role} ${partnerId}` })
    return browser
  }
  for (const role of ['admin', 'agent', 'developer', 'reader']) {
    const browser = await signedIn(role)
    const mayAll = role === 'admin' || role === 'developer'
    const guide = await fetch(`${service.baseUrl}/docs/guides/quickstart.md`, {
      headers: { cookie: browser.cookiesFor('/') },
    })
    const shown = mayAll ? oldest : sandboxCredentials.clientId
    assert.ok((await guide.text()).includes(`export SANDBOX_CLIENT_ID=${shown}\n`), role)
    const { text } = await browser.open('/workplace/account')
    const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(text) ?? []
    for (const { name, path = name, submit } of developerPages) {
      const isOpen = mayAll || name === 'credentials'
      const address = `${root}/${path.replace(':id', 'unknown')}`
      assert.equal(headingOf(await browser.open(address)) !== denied, isOpen, `${role} ${name}`)
      if (submit === undefined) continue
      const { status } = await browser.post(address, { formToken, key: 'a' })
      assert.equal(status === 403, !isOpen, `${role} sends ${name}: ${status}`)
    }
  }
  const developer = await signedIn('developer')
  assert.ok((await developer.open('/workplace')).text.includes(`href="${root}/"`))
  await developer.open(`${root}/webhooks/new`)
  await developer.send('Register', { url: 'https://127.0.0.1:9/by-hand', events: 'quote.status.changed' })
  const [webhook] = succeeded(await partner.get('/Webhooks')).data.filter(({ url }) => url.endsWith('/by-hand'))
  const audited = await rawRows(
    service,
    `select credential, operation from audit_log where subject_id = $1 and operation = 'createWebhook'`,
    [webhook?.webhookId],
  )
  assert.match(String(audited[0]?.credential), /^person_/)
  const secret = `${root}/webhooks/${webhook?.webhookId}/secret`
  assert.equal(headingOf(await developer.open(secret)), 'Rotate signing secret')
  await rawRows(
    service,
    `update person_sessions set signed_in_at = signed_in_at - interval '16 minutes' where partner_id = $1`,
    [partnerId],
  )
  assert.match((await developer.open(secret)).text, /within the last 15 minutes.*sign in as yourself/s)
  // What was sent is still there after signing in in another tab.
  const late = await developer.post(secret, { formToken: 'old', key: 'typed-before' })
  assert.deepEqual([late.status, headingOf(late)], [403, 'Sign in'])
  await developer.open('/workplace/sign-in?again=')
  await developer.send('Sign in', { who: `developer ${partnerId}` })
  developer.page = late
  const back = await developer.send('Go on')
  assert.deepEqual([back.status, headingOf(back)], [403, 'Rotate signing secret'])
  assert.match(noticeOf(back) ?? '', /nothing was sent/)
  assert.ok(back.text.includes('value="typed-before"'))
  await developer.open(`${root}/webhooks`)
  assert.equal(headingOf(await developer.send('Sign out')), 'You are signed out')
  assert.equal((await developer.open(`${root}/webhooks`)).status, 403)
})
