import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { routes } from '../../src/http/routes/table.ts'
import { assertTokenError } from '../operations/auth/token-calls.ts'
import { call, connectPartner } from '../support/client.ts'
import { invalidFields, rejected } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const pathOf = (path: string) => path.replace(/\{\w+\}/, 'of_nobody')
/** All these operations validate their body before they look anything up. */
const changing = routes.filter(({ method }) => method !== 'GET')
const json = { 'Content-Type': 'application/json' }

/** The service runs in this process, so a polluted prototype would show here. */
afterEach(() => {
  for (const victim of [{}, [], Object, Array, '', 0, () => 0]) {
    assert.equal((victim as { polluted?: unknown }).polluted, undefined)
    assert.equal((victim as { isAdmin?: unknown }).isAdmin, undefined)
  }
  assert.deepEqual(Object.keys(Object.prototype), [])
})

const poison = '{"polluted":true,"isAdmin":true,"addressUid":"x","tenants":[],"packageIds":[]}'
const bodies = [
  `{"__proto__":${poison}}`,
  `{"\\u005f_proto__":${poison}}`,
  `{"constructor":{"prototype":${poison}}}`,
  `{"prototype":${poison}}`,
  `{"__proto__":{"__proto__":${poison}},"constructor":1}`,
  `{"a[__proto__]":1,"a.__proto__.polluted":true,"__proto__.polluted":true}`,
]

for (const { operationId, method, path, body } of changing) {
  test(`${operationId}: fields that name a prototype are reported as unknown and have no effect`, async () => {
    for (const rawBody of bodies) {
      const problem = rejected(
        await partner.send(method, pathOf(path), undefined, { rawBody, headers: json }),
        400,
        'invalid_request',
      )
      const unknown = invalidFields(problem).filter(([, code]) => code === 'unknown_field')
      const names = Object.keys(JSON.parse(rawBody)).map((name) => `/${name}`)
      assert.deepEqual(unknown.map(([pointer]) => pointer).sort(), names.sort())
    }
    const properties = (body as { properties?: Record<string, { type?: string; items?: object }> } | undefined)
      ?.properties
    for (const [name, { type }] of Object.entries(properties ?? {})) {
      if (type !== 'object' && type !== 'array') continue
      const inside = `{"__proto__":${poison},"constructor":{"prototype":${poison}}}`
      const rawBody = `{"${name}":${type === 'array' ? `[${inside}]` : inside}}`
      rejected(await partner.send(method, pathOf(path), undefined, { rawBody, headers: json }), 400, 'invalid_request')
    }
  })
}

for (const { operationId, method, path, query } of routes) {
  test(`${operationId}: repeated, bracketed and dotted parameters are rejected, and the error names them`, async () => {
    const known = Object.keys(query?.properties ?? {})
    const odd = [
      'a[b]=c',
      'a[]=1&a[]=2',
      '__proto__[polluted]=1',
      'constructor[prototype][polluted]=1',
      'a.b=c',
      '__proto__=1&__proto__=2',
    ]
    const repeated = known.map((name) => `${name}=1&${name}=2`)
    const bracketed = known.flatMap((name) => [`${name}[]=1`, `${name}[a]=1`])
    for (const text of [...odd, ...repeated, ...bracketed]) {
      const response = await call(service.baseUrl, method, `/partner-api${pathOf(path)}?${text}`, undefined, {
        headers: { Authorization: `Bearer ${partner.token}`, ...(method === 'GET' ? {} : json) },
        ...(method === 'GET' ? {} : { rawBody: '{}' }),
      })
      const problem = rejected(response, 400, 'invalid_request')
      const name = decodeURIComponent(text.split('=', 1)[0] ?? '')
      assert.ok(
        invalidFields(problem).some(([pointer]) => pointer === `/query/${name}`),
        `${text}: ${response.text}`,
      )
    }
  })
}

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
