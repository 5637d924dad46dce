import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import { recordOperatorApi } from '../../scripts/generated/examples/operator.ts'
import { createRecorder } from '../../scripts/generated/examples/recorder.ts'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { operatorPrefix } from '../../src/back-office/http/register-operator-route.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import { now as startedAt, startMeteredService } from '../cost/metered-service.ts'
import { getToken } from '../support/client.ts'
import { waitForProcessorWebhooks } from '../support/customer-fixtures.ts'

// This service does nothing between two requests, so a transaction that writes is the request's.
const service = await startMeteredService({ isCounting: false })
after(() => service.stop())

/** The operations with which a method wrote to the database. */
const writing = { HEAD: new Set<string>(), GET: new Set<string>() }
/** The operations of which a HEAD was sent. */
const sent = new Set<string>()

/** PostgreSQL gives an id to every transaction that writes or locks a row, and to no other. */
const nextTransactionId = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint'

/** Calls `act` and returns whether a transaction that writes was committed meanwhile. */
async function commits<Result>(act: () => Promise<Result>): Promise<[Result, boolean]> {
  const { meter } = service
  const [before] = await meter.observe<{ id: string }>(`select ${nextTransactionId} as id`)
  const result = await act()
  const committed = await meter.observe(
    `select from generate_series(${before?.id}, ${nextTransactionId} - 1) id
      where pg_xact_status(id::text::xid8) is distinct from 'aborted'`,
  )
  return [result, committed.length > 0]
}

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

test('HEAD has the status of GET and neither changes nor locks a row, with any operation of both APIs', async () => {
  const plainFetch = globalThis.fetch
  mock.method(globalThis, 'fetch', async (...[input, init]: Parameters<typeof fetch>) => {
    const operation = (init?.method ?? 'GET') === 'GET' ? operationOf(new URL(String(input))) : undefined
    if (operation === undefined || !String(input).startsWith(service.baseUrl)) return plainFetch(input, init)
    await waitForProcessorWebhooks(service)
    const [head, headCommits] = await commits(() => plainFetch(input, { ...init, method: 'HEAD' }))
    if (headCommits) writing.HEAD.add(operation)
    sent.add(operation)
    const [get, getCommits] = await commits(() => plainFetch(input, init))
    if (getCommits) writing.GET.add(operation)
    assert.equal(head.status, get.status, operation)
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), operation)
    return get
  })
  const token = await getToken(service.baseUrl, service.credentials)
  const recorder = createRecorder({ url: `${service.baseUrl}/partner-api`, token, routes })
  await recordOperations({
    recorder,
    work: service.dispatch,
    earn: (sold) => earnAtOnce(service, sold, { now: () => startedAt }),
  })
  await recordOperatorApi(service, recorder.recording)
  assert.deepEqual([...writing.HEAD], [])
  assert.ok(writing.GET.has('getCustomer'), 'the read is in the audit log')
  const reading = [...routes, ...operatorRoutes].filter(({ method }) => method === 'GET')
  assert.deepEqual(
    reading.map(({ operationId }) => operationId).filter((operationId) => !sent.has(operationId)),
    [],
  )
})
