import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/app/http/routes.ts'
import { scopes } from '../../src/partners/scopes.ts'
import { openApiDocument } from '../support/openapi-responses.ts'

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
          : ['Households', 'Imports', 'Settings'].includes(group) || path.includes('/onboarding-links')
            ? 'customers:onboard'
            : ['Webhooks', 'Deliveries', 'Replays', 'Events'].includes(group)
              ? 'webhooks:manage'
              : group === 'Addresses' || isAboutBroadbandAvailability
                ? 'addresses:read'
                : `${group === 'Reports' ? 'quotes' : group.toLowerCase()}:${method === 'GET' ? 'read' : 'write'}`
    assert.equal(scope, expected, operationId)
  }
})
