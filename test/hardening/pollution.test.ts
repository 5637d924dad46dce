import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { assertTokenError } from '../partners/token-calls.ts'
import { call } from '../support/client.ts'
import { shareTestService } from '../support/shared-service.ts'

// Every operation's bodies and queries: test/every-operation/every-operation.test.ts.
const service = await shareTestService()

/** The service runs in this process, so a polluted prototype would show here. */
afterEach(() => {
  for (const victim of [{}, [], Object, Array, '', 0, () => 0]) {
    assert.equal((victim as { polluted?: unknown }).polluted, undefined)
    assert.equal((victim as { isAdmin?: unknown }).isAdmin, undefined)
  }
  assert.deepEqual(Object.keys(Object.prototype), [])
})

const poison = '{"polluted":true,"isAdmin":true,"addressUid":"x","tenants":[],"packageIds":[]}'
test('token calls ignore fields that name a prototype and reject repeated fields, both in JSON and in forms', async () => {
  const { clientId, clientSecret } = service.credentials
  const send = (rawBody: string, type: string, path = '/partner-api/Auth/token') =>
    call(service.baseUrl, 'POST', path, undefined, { rawBody, headers: { 'Content-Type': type } })
  const form = 'application/x-www-form-urlencoded'
  const right = `clientId=${clientId}&clientSecret=${clientSecret}`
  for (const path of ['/partner-api/Auth/token', '/oauth/token']) {
    assert.equal((await send(`${right}&__proto__[polluted]=1&constructor=2&a[b]=c`, form, path)).status, 200)
    const asJson = JSON.stringify({ clientId, clientSecret }).replace('{', `{"__proto__":${poison},"constructor":1,`)
    assert.equal((await send(asJson, 'application/json', path)).status, 200)
    const inPrototype = `{"__proto__":${JSON.stringify({ clientId, clientSecret })}}`
    assert.equal((await send(inPrototype, 'application/json', path)).status, 400)
    for (const [body, type] of [
      [`${right}&clientId=other`, form],
      [`${right}&clientSecret=${clientSecret}`, form],
      [`clientId[]=${clientId}&clientSecret=${clientSecret}`, form],
      [`{"clientId":"${clientId}","clientSecret":"${clientSecret}","clientId":"other"}`, 'application/json'],
      [`{"clientId":"${clientId}","clientSecret":"${clientSecret}","client\\u0049d":"other"}`, 'application/json'],
      [`{"clientId":["${clientId}"],"clientSecret":"${clientSecret}"}`, 'application/json'],
    ] as const) {
      const response = await send(body, type, path)
      assertTokenError(response, 400, 'invalid_request')
    }
  }
})

test('a contract link with a repeated or nested token is rejected', async () => {
  const url = `${service.baseUrl}/contracts/tenant_01h455vb4pex5vsknk084sn02q/pre-contract-information.html`
  for (const query of ['token=a&token=b', 'token[]=a', '__proto__[token]=a'])
    assert.equal((await fetch(`${url}?${query}`)).status, 403)
})
