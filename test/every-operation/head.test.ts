import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { recordLastOperations, recordOperations } from '../../scripts/generated/examples/journey.ts'
import { recordOperatorApi } from '../../scripts/generated/examples/operator.ts'
import { createRecorder } from '../../scripts/generated/examples/recorder.ts'
import { routes } from '../../src/app/http/routes.ts'
import { operatorRoutes } from '../../src/back-office/http/operator-table.ts'
import { operatorPrefix } from '../../src/back-office/http/register-operator-route.ts'
import { now as startedAt, startMeteredService } from '../cost/metered-service.ts'
import { getToken } from '../support/client.ts'
import { waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { readDatabaseContents } from '../support/database-contents.ts'

// This service does nothing between two requests, so a row that changes is the request's.
const service = await startMeteredService()
after(() => service.stop())

/** The tables that HEAD changed, by operation. */
const changed = new Map<string, string[]>()
/** The operations of which a HEAD was sent. */
const sent = new Set<string>()

function operationOf({ pathname }: URL): string | undefined {
  const all = [
    ...routes.map(({ path, ...route }) => ({ ...route, path: `/partner-api${path}` })),
    ...operatorRoutes.map(({ path, ...route }) => ({ ...route, path: `${operatorPrefix}${path}` })),
  ]
  const found = all.filter(
    ({ method, path }) => method === 'GET' && new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
  return (found.find(({ path }) => !path.includes('{')) ?? found[0])?.operationId
}

test('HEAD has the status of GET and changes no row in any table, with any operation of both APIs', async () => {
  const plainFetch = globalThis.fetch
  mock.method(globalThis, 'fetch', async (...[input, init]: Parameters<typeof fetch>) => {
    const operation = (init?.method ?? 'GET') === 'GET' ? operationOf(new URL(String(input))) : undefined
    if (operation === undefined || !String(input).startsWith(service.baseUrl)) return plainFetch(input, init)
    await waitForProcessorWebhooks(service)
    const before = await readDatabaseContents(service.connectionString)
    const head = await plainFetch(input, { ...init, method: 'HEAD' })
    const now = await readDatabaseContents(service.connectionString)
    const tables = [...now.keys()].filter((table) => now.get(table) !== before.get(table))
    if (tables.length > 0) changed.set(operation, tables)
    sent.add(operation)
    const get = await plainFetch(input, init)
    assert.equal(head.status, get.status, operation)
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), operation)
    return get
  })
  const token = await getToken(service.baseUrl, service.credentials)
  const recorder = createRecorder({ url: `${service.baseUrl}/partner-api`, token, routes })
  await recordOperations({ recorder, work: service.dispatch })
  await recordOperatorApi(service, recorder.recording, startedAt)
  await recordLastOperations(recorder)
  assert.deepEqual(Object.fromEntries(changed), {})
  const reading = [...routes, ...operatorRoutes].filter(({ method }) => method === 'GET')
  assert.deepEqual(
    reading.map(({ operationId }) => operationId).filter((operationId) => !sent.has(operationId)),
    [],
  )
})
