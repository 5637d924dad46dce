import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes/table.ts'
import { withLastBitChanged } from '../support/altered-token.ts'
import {
  type ApiResponse,
  type CallOptions,
  call,
  connectPartner,
  type Partner,
  partnerWithToken,
} from '../support/client.ts'
import { allScopesBut, connectWithScopes } from '../support/partners.ts'
import { invalidFields, rejected } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

/*
 * What holds for every operation of the route table: who may call it, and which methods, media types, queries and bodies it accepts. These
 * requests are rejected before any id is looked up, so any id will do.
 */

const service = await shareTestService()
let partner: Partner
before(async () => {
  partner = await connectPartner(service.baseUrl, service.credentials)
})

const pathOf = ({ path }: Route) => path.replace(/\{\w+\}/, 'anything')

/** Calls an operation with a JSON body that need not be valid. */
function callWithAnyBody(route: Route, caller: Partner, query = ''): Promise<ApiResponse> {
  return caller.send(route.method, `${pathOf(route)}${query}`, route.method === 'GET' ? undefined : {})
}

for (const route of routes) {
  const { operationId, method, scope } = route

  test(`${operationId} returns 401 with a challenge, before any other check, if the token is missing, malformed or altered`, async () => {
    const body = method === 'GET' ? undefined : {}
    const without = await call(service.baseUrl, method, `/partner-api${pathOf(route)}`, body)
    rejected(without, 401, 'unauthenticated')
    assert.equal(without.headers.get('www-authenticate'), 'Bearer realm="housebill"')
    const [header = '', payload = ''] = partner.token.split('.')
    const tokens = ['nonsense', `${partner.token}x`, `${header}.${payload}.`, withLastBitChanged(partner.token)]
    for (const authorization of [...tokens.map((token) => `Bearer ${token}`), `Basic ${partner.token}`]) {
      const headers = { Authorization: authorization }
      const bad = await call(service.baseUrl, method, `/partner-api${pathOf(route)}`, body, { headers })
      rejected(bad, 401, 'unauthenticated')
      assert.match(
        bad.headers.get('www-authenticate') ?? '',
        /^Bearer realm="housebill", error="invalid_token", error_description="/,
      )
    }
  })

  test(`${operationId} returns 403 for a token with every scope but ${scope}, and not for one with that scope alone`, async () => {
    const lacking = await callWithAnyBody(route, await connectWithScopes(service, allScopesBut(scope)))
    assert.ok(rejected(lacking, 403, 'insufficient_scope').detail.includes(scope))
    assert.equal(
      lacking.headers.get('www-authenticate'),
      `Bearer realm="housebill", error="insufficient_scope", scope="${scope}"`,
    )
    const allowed = await callWithAnyBody(route, await connectWithScopes(service, [scope]))
    assert.ok([200, 400, 404, 422].includes(allowed.status), allowed.text)
  })

  test(`${operationId} returns 400 and names the query parameter if it is unknown`, async () => {
    const problem = rejected(await callWithAnyBody(route, partner, '?verbose=1'), 400, 'invalid_request')
    const unknown = invalidFields(problem).filter(([pointer]) => pointer === '/query/verbose')
    assert.deepEqual(unknown, [['/query/verbose', 'unknown_field']])
  })

  test(`${operationId} returns 405 with Allow for any other method, and 406 if Accept excludes JSON`, async () => {
    const url = `${service.baseUrl}/partner-api${pathOf(route)}`
    const headers = { Authorization: `Bearer ${partner.token}` }
    const otherMethod = await fetch(url, { method: 'PUT', headers })
    assert.equal(otherMethod.status, 405)
    assert.ok(otherMethod.headers.get('allow')?.split(', ').includes(method))
    assert.match(await otherMethod.text(), /"code":"method_not_allowed"/)
    const unacceptable = await fetch(url, { method, headers: { ...headers, Accept: 'text/html' } })
    assert.equal(unacceptable.status, 406)
    assert.match(await unacceptable.text(), /"code":"not_acceptable"/)
  })

  if (method === 'GET') {
    test(`${operationId} responds to HEAD and to a path in capitals as it does to GET`, async () => {
      const get = await callWithAnyBody(route, partner)
      const capitals = await partner.get(pathOf(route).replace(/[A-Za-z-]+/, (word) => word.toUpperCase()))
      assert.equal(capitals.status, get.status)
      const url = `${service.baseUrl}/partner-api${pathOf(route)}`
      const head = await fetch(url, { method: 'HEAD', headers: { Authorization: `Bearer ${partner.token}` } })
      assert.equal(head.status, get.status)
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      assert.equal(await head.text(), '')
    })
  }

  if (route.body !== undefined) {
    test(`${operationId} returns 400, 415 or 413 if the body is not JSON, not declared as JSON or too large`, async () => {
      const sendRaw = (rawBody: string, type: string) => {
        const options: CallOptions = { rawBody, headers: { 'Content-Type': type } }
        return partnerWithToken(service.baseUrl, partner.token).send(method, pathOf(route), undefined, options)
      }
      rejected(await sendRaw('{"half":', 'application/json'), 400, 'malformed_json')
      rejected(await sendRaw('a=b', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
      rejected(await sendRaw(`"${'x'.repeat(65_536)}"`, 'application/json'), 413, 'payload_too_large')
      const problem = rejected(await sendRaw('[]', 'application/json'), 400, 'invalid_request')
      assert.deepEqual(invalidFields(problem), [['', 'wrong_type']])
    })
  }
}
