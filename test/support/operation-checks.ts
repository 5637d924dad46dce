import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Scope } from '../../src/domain/auth/scopes.ts'
import { withLastBitChanged } from './altered-token.ts'
import { badFields, refused, withoutRequestId } from './answers.ts'
import { call, connectPartner, type Partner, partnerWithToken } from './client.ts'
import { allScopesBut, connectStranger, connectWithScopes } from './partners.ts'
import type { TestService } from './service.ts'

/** One operation as the checks that are the same for all operations call it. */
export interface CheckedOperation {
  service: TestService
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below /partner-api. */
  path: (id: string) => string
  scope: Scope
  /** Makes a thing of the sandbox partner's that the path can name. Absent where the path names none. */
  ownId?: (partner: Partner) => Promise<string>
  /** Of the right form, and nobody's. */
  unknownId?: string
  /** A body of the right shape; absent for operations without one. */
  body?: unknown
}

/** Registers the tests of what every operation promises: who may call, what is unknown, what is not taken. */
export function checkOperation({ service, method, path, scope, ownId, unknownId = '', body }: CheckedOperation): void {
  let partner: Partner
  let id: string
  before(async () => {
    partner = await connectPartner(service.baseUrl, service.credentials)
    id = (await ownId?.(partner)) ?? ''
  })
  const send = (caller: Partner, to = path(id)) => caller.send(method, to, body)

  test('a call, when its token is missing, malformed or altered, is 401 with a challenge', async () => {
    const withoutToken = await call(service.baseUrl, method, `/partner-api${path(id)}`, body)
    refused(withoutToken, 401, 'unauthenticated')
    assert.match(withoutToken.headers.get('www-authenticate') ?? '', /^Bearer /)
    const [header = '', payload = ''] = partner.token.split('.')
    for (const token of ['nonsense', `${header}.${payload}.`, withLastBitChanged(partner.token)]) {
      const answer = await send(partnerWithToken(service.baseUrl, token))
      refused(answer, 401, 'unauthenticated')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
    }
  })

  test(`a call, when its token lacks ${scope}, is 403; a token with nothing else will do`, async () => {
    const answer = await send(await connectWithScopes(service, allScopesBut(scope)))
    assert.ok(refused(answer, 403, 'insufficient_scope').detail.includes(scope))
    assert.match(answer.headers.get('www-authenticate') ?? '', new RegExp(`insufficient_scope".*scope="${scope}"`))
    const allowed = await send(await connectWithScopes(service, [scope]))
    assert.ok(allowed.status === 200 || allowed.status === 422, allowed.text)
  })

  if (ownId !== undefined) {
    test("a call, when the id is unknown, another partner's or none of ours, is 404 in the very same words", async () => {
      const answers = [
        await send(await connectStranger(service)),
        await send(partner, path(unknownId)),
        await send(partner, path(id.toUpperCase())),
        await send(partner, path("0'--")),
      ]
      for (const answer of answers) refused(answer, 404, 'not_found')
      assert.equal(new Set(answers.map(withoutRequestId)).size, 1)
      assert.equal(new Set(answers.map(({ headers }) => [...headers.keys()].sort().join())).size, 1)
    })
  }

  test('a call, when it has an unknown query parameter, is 400 and names it', async () => {
    const problem = refused(
      await send(partner, `${path(id)}${path(id).includes('?') ? '&' : '?'}verbose=1`),
      400,
      'invalid_request',
    )
    assert.deepEqual(badFields(problem), [['/query/verbose', 'unknown_field']])
  })

  test('a call, when the method is another or the answer may not be JSON, is 405 with Allow or 406', async () => {
    const url = `${service.baseUrl}/partner-api${path(id)}`
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
    test('a call, when the path is in other letters or the method is HEAD, is answered as the GET', async () => {
      const get = await send(partner)
      const shouted = await send(
        partner,
        path(id).replace(/[A-Za-z-]+/, (word) => word.toUpperCase()),
      )
      assert.equal(shouted.status, get.status)
      const url = `${service.baseUrl}/partner-api${path(id)}`
      const head = await fetch(url, { method: 'HEAD', headers: { Authorization: `Bearer ${partner.token}` } })
      assert.equal(head.status, get.status)
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      assert.equal(await head.text(), '')
    })
  } else if (body !== undefined) {
    test('a call, when its body is no JSON, not called JSON or too large, is 400, 415 or 413', async () => {
      const sendRaw = (rawBody: string, type: string) =>
        partner.send(method, path(id), undefined, { rawBody, headers: { 'Content-Type': type } })
      refused(await sendRaw('{"half":', 'application/json'), 400, 'malformed_json')
      refused(await sendRaw('a=b', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
      refused(await sendRaw(`"${'x'.repeat(65_536)}"`, 'application/json'), 413, 'payload_too_large')
      const problem = refused(await sendRaw('[]', 'application/json'), 400, 'invalid_request')
      assert.deepEqual(badFields(problem), [['', 'wrong_type']])
    })
  }
}
