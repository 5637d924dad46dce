import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scopes } from '../../src/domain/auth/scopes.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes/table.ts'
import { allPaths, readSource } from '../structure/tree.ts'
import { refused } from '../support/answers.ts'
import { type Answer, call, connectPartner, type Partner } from '../support/client.ts'
import { openApiDocument } from '../support/openapi-answers.ts'
import { allScopesBut, connectWithScopes } from '../support/partners.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService()
after(() => service.stop())
let partner: Partner
before(async () => {
  partner = await connectPartner(service.baseUrl, service.credentials)
})

/** Calls an operation without caring what for: whoever may not call it is told so before anything else is looked at. */
function knock({ method, path }: Route, headers: Record<string, string>): Promise<Answer> {
  const url = `/partner-api${path.replace(/\{\w+\}/, 'anything')}`
  return call(service.baseUrl, method, url, method === 'GET' ? undefined : {}, { headers })
}

const operationTests = allPaths.filter((path) => /^test\/operations\/.+\.test\.ts$/.test(path)).map(readSource)

/** Whether a test under the operation's group is named for its path's last part, names the operation, or calls its path. */
function isTested({ operationId, method, path }: Route): boolean {
  const [, group = '', ...rest] = path.split('/')
  const folder = `test/operations/${group.toLowerCase()}/`
  const ownFile = `${folder}${rest.at(-1)}.test.ts`
  const escaped = path.replaceAll('-', '\\-').replace(/\{\w+\}/g, '\\$\\{[^}]+\\}')
  const called = new RegExp(`['"\`]${escaped}['"\`?]`)
  const byMethod = new RegExp(`\\.${method.toLowerCase()}\\(|'${method}'`)
  return operationTests
    .filter((file) => file.path.startsWith(folder))
    .some(
      (file) =>
        file.path === ownFile ||
        file.text.includes(operationId) ||
        (called.test(file.text) && byMethod.test(file.text)),
    )
}

test('an operation of the table, when nothing under test/operations/<its group> names it or its path, was forgotten', () => {
  const forgotten = routes.filter((route) => !isTested(route)).map(({ operationId }) => operationId)
  assert.deepEqual(forgotten, [])
  const [any] = routes
  assert.ok(
    any !== undefined && !isTested({ ...any, operationId: 'neverHeardOf', path: '/Quotes/{id}/never-heard-of' }),
  )
})

test('operations, however many there are, have names and paths of their own, and each is in the document', () => {
  assert.equal(new Set(routes.map(({ operationId }) => operationId)).size, routes.length)
  assert.equal(new Set(routes.map(({ method, path }) => `${method} ${path.toLowerCase()}`)).size, routes.length)
  for (const { method, path, operationId } of routes)
    assert.equal(openApiDocument.paths[`/partner-api${path}`]?.[method.toLowerCase()]?.operationId, operationId)
})

for (const route of routes) {
  test(`${route.operationId}: no token, a bad token and a token without ${route.scope} are refused before all else`, async () => {
    const without = await knock(route, {})
    refused(without, 401, 'unauthenticated')
    assert.equal(without.headers.get('www-authenticate'), 'Bearer realm="housebill"')
    for (const authorization of ['Bearer nonsense', `Bearer ${partner.token}x`, `Basic ${partner.token}`]) {
      const bad = await knock(route, { Authorization: authorization })
      refused(bad, 401, 'unauthenticated')
      assert.match(
        bad.headers.get('www-authenticate') ?? '',
        /^Bearer realm="housebill", error="invalid_token", error_description="/,
      )
    }
    const { token } = await connectWithScopes(service, allScopesBut(route.scope))
    const lacking = await knock(route, { Authorization: `Bearer ${token}` })
    refused(lacking, 403, 'insufficient_scope')
    assert.equal(
      lacking.headers.get('www-authenticate'),
      `Bearer realm="housebill", error="insufficient_scope", scope="${route.scope}"`,
    )
  })
}

test('every scope there is, when it is granted, is needed for something', () => {
  assert.deepEqual([...new Set(routes.map(({ scope }) => scope))].sort(), [...scopes].sort())
})

test('a scope, as decisions on partners assign it, goes with the path and the method of its operations', () => {
  for (const { path, method, scope, operationId } of routes) {
    const [, group = ''] = path.split('/')
    const isAboutBroadbandAvailability = path.includes('availability')
    const expected =
      group === 'Sandbox'
        ? 'sandbox:steer'
        : ['Webhooks', 'Deliveries', 'Replays', 'Events'].includes(group)
          ? 'webhooks:manage'
          : group === 'Addresses' || isAboutBroadbandAvailability
            ? 'addresses:read'
            : `${group.toLowerCase()}:${method === 'GET' ? 'read' : 'write'}`
    assert.equal(scope, expected, operationId)
  }
})
