import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/app/http/routes.ts'
import { scopes } from '../../src/partners/scopes.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { allPaths, readSource } from '../structure/tree.ts'
import { openApiDocument } from '../support/openapi-responses.ts'

const moduleTests = allPaths
  .filter((path) => /^test\/(sandbox\/outcomes\/.+|(?!every-operation|support|structure).+\.test)\.ts$/.test(path))
  .map(readSource)

/**
 * Whether the operation has a test of its own: a file that contains its operationId, calls its path, or is named after
 * the last part of its path.
 */
function isTested({ operationId, method, path }: Route): boolean {
  const ownFile = `/${path.split('/').at(-1)}.test.ts`
  const escaped = path.replaceAll('-', '\\-').replace(/\{\w+\}/g, '\\$\\{[^}]+\\}')
  const called = new RegExp(`['"\`]${escaped}['"\`?]`)
  const byMethod = new RegExp(`\\.${method.toLowerCase()}\\(|'${method}'`)
  return moduleTests.some(
    (file) =>
      file.path.endsWith(ownFile) ||
      file.text.includes(operationId) ||
      (called.test(file.text) && byMethod.test(file.text)),
  )
}

test('every operation is named or called by a test of its own', () => {
  const forgotten = routes.filter((route) => !isTested(route)).map(({ operationId }) => operationId)
  assert.deepEqual(forgotten, [])
  const [any] = routes
  assert.ok(
    any !== undefined && !isTested({ ...any, operationId: 'neverHeardOf', path: '/Quotes/{id}/never-heard-of' }),
  )
})

test('every operation has a unique name and path and is in the API document', () => {
  assert.equal(new Set(routes.map(({ operationId }) => operationId)).size, routes.length)
  assert.equal(new Set(routes.map(({ method, path }) => `${method} ${path.toLowerCase()}`)).size, routes.length)
  for (const { method, path, operationId } of routes)
    assert.equal(openApiDocument.paths[`/partner-api${path}`]?.[method.toLowerCase()]?.operationId, operationId)
})

test('every scope is needed for at least one operation', () => {
  const needed = routes.flatMap(({ scope, scopeForMore = scope }) => [scope, scopeForMore])
  assert.deepEqual([...new Set(needed)].sort(), [...scopes].sort())
})

test('the scope of each operation follows from its path and method, as docs/authentication.md#scopes says', () => {
  for (const { path, method, scope, operationId } of routes) {
    const [, group = ''] = path.split('/')
    const isAboutBroadbandAvailability = path.includes('availability')
    const expected =
      group === 'Sandbox'
        ? 'sandbox:steer'
        : path.endsWith('/export')
          ? 'customers:export'
          : ['Households', 'Imports'].includes(group) || path.includes('/onboarding-links')
            ? 'customers:onboard'
            : ['Webhooks', 'Deliveries', 'Replays', 'Events'].includes(group)
              ? 'webhooks:manage'
              : group === 'Addresses' || isAboutBroadbandAvailability
                ? 'addresses:read'
                : `${group.toLowerCase()}:${method === 'GET' ? 'read' : 'write'}`
    assert.equal(scope, expected, operationId)
  }
})
