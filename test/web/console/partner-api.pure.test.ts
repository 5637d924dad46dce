import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, operations } from '../../../console/api/partner-api.ts'
import { routes } from '../../../src/app/http/routes.ts'
import { keptBodyBytes } from '../../../src/webhooks/delivery/delivery.ts'
import { keptDays } from '../../../src/webhooks/history/kept-payloads.ts'
import { overlapSeconds } from '../../../src/webhooks/secrets/secret.ts'

test('the console calls operations as the route table has them', () => {
  for (const [name, { method, path }] of Object.entries(operations)) {
    const route = routes.find(({ operationId }) => operationId === name)
    assert.deepEqual(
      [method, path.replace('{id}', '{}')],
      [route?.method, `/partner-api${route?.path}`.replace(/\{\w+\}/, '{}')],
    )
  }
})

test('the console names limits as the API does', () => {
  assert.deepEqual(limits, {
    keptDays,
    secretOverlapHours: overlapSeconds / 3_600,
    keptBodyKiB: keptBodyBytes / 1_024,
  })
})
