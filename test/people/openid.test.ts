import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JWK } from 'jose'
import { rawRows } from '../support/customer-fixtures.ts'
import { newSigningKey, signToken, startIdentityProvider } from '../support/identity-provider.ts'
import { connectOperator } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import { findFreePort, startTestService } from '../support/service.ts'

const port = await findFreePort()
const publicUrl = `http://127.0.0.1:${port}`
const client = { clientId: 'desk', clientSecret: 'the secret of the desk' }
const key = await newSigningKey('first', 'RS256')
let who: Record<string, unknown> & { sub: string } = { sub: 'nobody' }
const provider = await startIdentityProvider({
  ...{ audience: 'none', keys: [key], clients: [client] },
  people: { redirectUri: `${publicUrl}/desk/sign-in/callback`, now: () => who },
})
const service = await startTestService({
  ...{ PORT: String(port), PUBLIC_URL: publicUrl, DESK_ISSUER: provider.issuer, DESK_CLIENT_ID: client.clientId },
  ...{ DESK_CLIENT_SECRET: client.clientSecret, DESK_ROLES_CLAIM: 'roles' },
})
after(async () => {
  await service.stop()
  await provider.stop()
})
const operator = await connectOperator(service)

/** A browser that follows redirects between the service and the provider, up to an address that `stops` it. */
class Browser {
  readonly #cookies = new Map<string, string>()

  async open(url: string, stops = (_url: string) => false): Promise<{ url: string; status: number; heading: string }> {
    if (stops(url)) return { url, status: 0, heading: '' }
    const { origin } = new URL(url)
    const sent = [...this.#cookies].filter(([name]) => name.startsWith(origin))
    const cookie = sent.map(([name, value]) => `${name.slice(origin.length)}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(`${origin}${name}`, value)
    }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location !== null) return this.open(new URL(location, url).href, stops)
    return { url, status: response.status, heading: /<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '' }
  }

  signIn = (at = '/desk/tasks') => this.open(`${publicUrl}/desk/sign-in/start?next=${encodeURIComponent(at)}`)
  /** Stops on the way back, and returns that address. */
  beforeCallback = async () =>
    new URL((await this.open(`${publicUrl}/desk/sign-in/start`, (url) => url.includes('/desk/sign-in/callback'))).url)
}

const as = (sub: string, more: object = {}) => {
  who = { sub, name: 'Ada Lang', email: `${sub}@bills.example`, email_verified: true, ...more }
  return new Browser()
}
const failed = { status: 403, heading: 'You are not signed in' }
const outcome = ({ status, heading }: { status: number; heading: string }) => ({ status, heading })

test('a role in the claim makes the person, who has the roles of the latest claim; without one, only who was invited gets in', async () => {
  const asked = await new Browser().open(`${publicUrl}/desk`)
  assert.equal(asked.heading, 'Sign in')
  const ada = as('ada', { roles: ['support', 'thief'] })
  const landed = await ada.signIn()
  assert.deepEqual([landed.url, landed.heading], [`${publicUrl}/desk/tasks`, 'Tasks'])
  const roles = async () =>
    (await rawRows(service, `select roles, invited_by, state from people order by invited_at desc limit 1`))[0]
  assert.deepEqual(await roles(), { roles: ['support'], invited_by: 'identity provider', state: 'active' })
  assert.equal((await as('ada', { roles: ['rates'] }).signIn('/desk')).heading, 'Ada Lang')
  assert.deepEqual((await roles())?.roles, ['rates'])
  assert.equal((await ada.open(`${publicUrl}/desk`)).heading, 'Sign in', 'a lost role ends the sessions')
  const without = { status: 403, heading: 'You cannot sign in here' }
  assert.deepEqual(outcome(await as('ada').signIn()), without)
  assert.deepEqual(outcome(await as('jo').signIn()), without)
  const invite = { name: 'Jo Carter', email: 'JO@bills.example', roles: ['finance'] }
  const { personId } = succeeded(await operator.post<{ personId: string }>('/People', invite))
  assert.deepEqual(outcome(await as('jo', { email_verified: false }).signIn()), without)
  assert.equal((await as('jo').signIn('/desk/people')).heading, 'People')
  assert.deepEqual(outcome(await as('thief', { email: 'jo@bills.example', roles: ['admin'] }).signIn()), without)
  succeeded(await operator.post(`/People/${personId}/remove`))
  assert.deepEqual(outcome(await as('jo', { roles: ['admin'] }).signIn()), without, 'who was removed stays so')
  succeeded(await operator.post('/People', invite))
  assert.equal((await as('jo').signIn('/desk/people')).heading, 'People')
  assert.equal(
    (await as('ada', { roles: ['rates'] }).signIn('https://evil.example/desk')).url,
    `${publicUrl}/desk/account`,
  )
})

test('another state, another issuer, a code of another browser or that was used before, and a sign-in that expired are rejected', async () => {
  const changes: Record<string, (url: URL) => void> = {
    state: (url) => url.searchParams.set('state', 'another'),
    issuer: (url) => url.searchParams.set('iss', 'http://127.0.0.1:9'),
    error: (url) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'access_denied')
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    const browser = as('ada', { roles: ['rates'] })
    const back = await browser.beforeCallback()
    change(back)
    assert.deepEqual(outcome(await browser.open(back.href)), failed, name)
  }
  const ada = as('ada', { roles: ['rates'] })
  const back = await ada.beforeCallback()
  assert.deepEqual(outcome(await new Browser().open(back.href)), failed, 'another browser')
  assert.equal((await ada.open(back.href)).heading, 'Ada Lang')
  assert.deepEqual(outcome(await ada.open(back.href)), failed, 'the same way back again')
  const next = await ada.beforeCallback()
  next.searchParams.set('code', back.searchParams.get('code') ?? '')
  assert.deepEqual(outcome(await ada.open(next.href)), failed, 'a used code in a new sign-in')
  const late = await ada.beforeCallback()
  await rawRows(service, `update pending_sign_ins set expires_at = now() - interval '1 second' returning 1`)
  assert.deepEqual(outcome(await ada.open(late.href)), failed, 'too late')
  const expired = await ada.beforeCallback()
  // The provider forgets its codes, as it does when they expire.
  provider.useKeys([key])
  assert.deepEqual(outcome(await ada.open(expired.href)), failed, 'a code that has expired')
})

test('an ID token with another nonce, issuer, audience, signature or age is rejected, and the right one accepted', async () => {
  const foreign = await newSigningKey('first', 'RS256')
  const now = () => Math.floor(Date.now() / 1_000)
  const tokens: Record<string, [claims: object, signedWith?: JWK]> = {
    nonce: [{ nonce: 'another' }],
    'no nonce': [{ nonce: undefined }],
    issuer: [{ iss: 'https://evil.example' }],
    audience: [{ aud: 'another-client' }],
    expiry: [{ exp: now() - 3_600, iat: now() - 7_200 }],
    'old sign-in': [{ auth_time: now() - 86_400 }],
    'no time of the sign-in': [{ auth_time: undefined }],
    signature: [{}, foreign],
    right: [{}],
  }
  for (const [name, [claims, signedWith = key]] of Object.entries(tokens)) {
    const browser = as('ada', { roles: ['rates'] })
    let nonce = ''
    const stop = (url: string) => {
      nonce = new URL(url).searchParams.get('nonce') ?? nonce
      return url.includes('/desk/sign-in/callback')
    }
    const { url } = await browser.open(`${publicUrl}/desk/sign-in/start`, stop)
    const whole = { iss: provider.issuer, aud: client.clientId, nonce, iat: now(), exp: now() + 60, auth_time: now() }
    const idToken = await signToken(signedWith, { ...whole, ...who, ...claims }, { typ: 'JWT' })
    provider.respondWith((request, response) => {
      const isToken = request.url === '/token'
      response.setHeader('Content-Type', 'application/json')
      const { alg: _, d: __, p, q, dp, dq, qi, ...open } = key
      response.end(
        JSON.stringify(
          isToken
            ? { access_token: 'a', token_type: 'Bearer', id_token: idToken }
            : { keys: [{ ...open, alg: 'RS256' }] },
        ),
      )
    })
    const landed = await browser.open(url)
    provider.respondWith(undefined)
    assert.equal(landed.heading, name === 'right' ? 'Ada Lang' : failed.heading, name)
  }
})

test('while the provider is down nobody signs in, sessions go on, and sign-in works once it is back', async () => {
  const ada = as('ada', { roles: ['rates'] })
  await ada.signIn()
  const back = await ada.beforeCallback()
  await provider.goDown()
  assert.equal((await ada.open(back.href)).status, 503)
  assert.equal((await ada.open(`${publicUrl}/desk`)).heading, 'Ada Lang')
  await provider.comeBack()
  assert.equal((await as('ada', { roles: ['rates'] }).signIn('/desk')).heading, 'Ada Lang')
})
