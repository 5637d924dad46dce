import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { updateAllowedFrom } from '../../src/partners/partners.store.ts'
import { connectWithScopes, withDatabase } from '../support/partners.ts'
import { rejected } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { assertTokenError, sendJson } from './token-calls.ts'

const service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
after(() => service.stop())
const ranges = ['192.0.2.0/24', '2001:db8:1::/48', '198.51.100.7']
const from = (address: string) => ({ 'X-Forwarded-For': address })

/** Credentials that may be used from `ranges` only, and a token that they got before that was decided. */
async function limitedClient() {
  const partner = await connectWithScopes(service, ['quotes:read'])
  const { client_id: clientId } = decodeJwt<{ client_id: string }>(partner.token)
  await withDatabase(service, (db) => updateAllowedFrom(db, clientId, ranges))
  return { partner, credentials: { clientId, clientSecret: service.credentials.clientSecret } }
}

const inside = ['192.0.2.9', '2001:db8:1:2::3', '198.51.100.7', '::ffff:192.0.2.9', '203.0.113.1, 192.0.2.9']
const outside = ['192.0.3.9', '2001:db8:2::3', '198.51.100.8', '192.0.2.9, 203.0.113.1', 'unknown']

test('a token of limited credentials works from an allowed address behind a trusted proxy and from no other', async () => {
  const { partner } = await limitedClient()
  for (const address of inside)
    assert.equal((await partner.get('/Quotes', { headers: from(address) })).status, 200, address)
  for (const headers of [...outside.map(from), {}]) {
    const { detail } = rejected(await partner.get('/Quotes', { headers }), 403, 'address_not_allowed')
    assert.doesNotMatch(detail, /\d/, 'the error does not list addresses')
  }
})

test('limited credentials get and revoke tokens from an allowed address only', async () => {
  const { partner, credentials } = await limitedClient()
  for (const path of ['/partner-api/Auth/token', '/oauth/token', '/partner-api/Auth/revoke'] as const) {
    const body = { ...credentials, token: partner.token }
    for (const address of outside) {
      const description = assertTokenError(await sendJson(service, path, body, from(address)), 401, 'invalid_client')
      assert.match(description, /^These credentials cannot be used from this address/)
    }
    const [address = ''] = inside
    assert.equal((await sendJson(service, path, body, from(address))).status, 200)
  }
})

test('with a wrong secret, nobody learns that the credentials are limited', async () => {
  const { credentials } = await limitedClient()
  const body = { ...credentials, clientSecret: 'wrong' }
  const response = await sendJson(service, '/partner-api/Auth/token', body, from('203.0.113.1'))
  assert.match(assertTokenError(response, 401, 'invalid_client'), /^The client id or the client secret is wrong/)
})
