import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { routes } from '../../src/app/http/routes.ts'
import { type ApiResponse, connectPartner, type Partner } from '../support/client.ts'
import { rawRows, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { callEveryOperation, fillPath, type SendRequest, type ValidRequest } from '../support/every-operation.ts'
import { startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected, succeeded, withoutRequestId } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { sendVariation } from './operation-checks.ts'

/**
 * Defines tests that call every operation. Another partner sends each request with an id just before its owner does,
 * who succeeds with it. Other tests cover ids in bodies and queries, the contents of lists, and changes in the
 * database. The service must allow webhooks on this machine.
 */
export function testForeignIds(service: ServiceUnderTest): void {
  /** The owner's ids in the paths of its requests, and those that it created. */
  const ids = new Map<string, string>()
  const { baseUrl } = service
  let owner: Partner
  let stranger: Partner
  let strangersQuote: string
  const { addressUid: home } = ordinaryProperty()

  before(async () => {
    owner = await connectPartner(baseUrl, service.credentials)
    stranger = await connectNewPartner(service)
    strangersQuote = (await startHousehold(stranger)).quoteId
  })

  /** Asserts that another partner's id and an unknown id get the same response. */
  function assertSameAsUnknown(foreign: ApiResponse, unknown: ApiResponse): void {
    assert.deepEqual(comparable(foreign), comparable(unknown))
  }

  /** Sends the owner's request as the stranger: with its ids, with a key, and with an unknown id. */
  async function tryAsStranger(request: ValidRequest): Promise<void> {
    const { route, ids: owned } = request
    const [id = ''] = owned
    const send = (path: string, headers = {}) =>
      sendVariation({ baseUrl, partner: stranger }, request, { path, headers })
    const unknown = await send(fillPath(route, owned.with(0, unknownLike(id))))
    rejected(unknown, 404, 'not_found')
    if (isOfProperty(id)) return
    assertSameAsUnknown(await send(request.path), unknown)
    assertSameAsUnknown(await send(request.path, { 'Idempotency-Key': `foreign-${route.operationId}` }), unknown)
  }

  test("another partner's id returns exactly what an unknown one returns, in every operation", async (t) => {
    const requests: ValidRequest[] = []
    const send: SendRequest = async (request) => {
      const { operationId, idDescription = '' } = request.route
      const [id] = request.ids
      if (id !== undefined) {
        requests.push(request)
        await t.test(`${operationId}: to another partner, the id is unknown`, () => tryAsStranger(request))
      }
      const response = succeeded(await sendVariation({ baseUrl, partner: owner }, request))
      if (id !== undefined && !isOfProperty(id)) ids.set(idDescription, id)
      return response
    }
    await callEveryOperation(service, send, async (request) =>
      succeeded(await sendVariation({ baseUrl, partner: owner }, request)),
    )
    await waitForProcessorWebhooks(service)
    const quoteId = ids.get('quoteId') ?? ''
    const ownersRows = await rowsOf(service, quoteId)
    const owned = requests.filter(({ ids: [id = ''] }) => !isOfProperty(id))
    for (const request of owned) await sendVariation({ baseUrl, partner: stranger }, request)
    await t.test(
      "after all these calls again, the owner's rows are unchanged, and the audit log names nobody else",
      async () => {
        assert.deepEqual(await rowsOf(service, quoteId), ownersRows)
      },
    )
  })

  test("another partner's availability request returns what an unknown one returns", async () => {
    const check = (uid: string) => stranger.get(`/Quotes/run-broadband-availability-check/${uid}`)
    const { uid } = succeeded(await owner.post('/Quotes/broadband-availability-requests', { addressUid: home }))
    succeeded(await owner.get(`/Quotes/run-broadband-availability-check/${uid}`))
    const unknown = await check(unknownLike(uid))
    rejected(unknown, 404, 'not_found')
    assertSameAsUnknown(await check(uid), unknown)
  })

  test("a list contains only the calling partner's own entries", async () => {
    const listed = succeeded(await stranger.get('/Quotes?limit=100')).data
    assert.deepEqual(
      listed.map((quote) => quote.quoteId),
      [strangersQuote],
    )
  })

  test("another partner's ids in a body return what unknown ones return", async () => {
    const tenant = ids.get('customerId') ?? ''
    const remove = (tenantId: string) =>
      stranger.post(`/Quotes/${strangersQuote}/remove-tenants`, { tenantIds: [tenantId] })
    const [foreign, unknown] = [await remove(tenant), await remove(unknownLike(tenant))]
    assert.equal(foreign.status, 422)
    assertSameAsUnknown(foreign, unknown)
  })

  test("another partner's id in a query finds nothing, as an unknown one does", async () => {
    const quoteId = ids.get('quoteId') ?? ''
    const events = (of: string) => stranger.get(`/Events?quoteId=${of}`)
    assert.ok(succeeded(await owner.get(`/Events?quoteId=${quoteId}`)).data.length > 0)
    assertSameAsUnknown(await events(quoteId), await events(unknownLike(quoteId)))
  })

  for (const { operationId, path } of routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
    test(`${operationId}: the response contains no id of another partner`, async () => {
      const { text } = await stranger.get(path)
      for (const id of ids.values()) {
        assert.ok(!text.includes(id), id)
      }
    })
  }

  test("an availability check by one partner does not count for another's quote of the same property", async () => {
    const { products } = succeeded(await owner.get(`/Quotes/run-broadband-availability-check/${home}`))
    const { quoteId } = succeeded(await stranger.post('/Quotes', { addressUid: home }))
    const answer = await stranger.post(`/Quotes/${quoteId}/add-broadband-products`, {
      broadbandProducts: [products[0]?.productId],
    })
    rejected(answer, 422, 'broadband_check_required')
  })
}

/** Queries for the data that changes only when a partner makes a call. Columns that a worker changes are left out. */
const changedByCalls = [
  ...[
    'quotes',
    'customers',
    'setup_intents',
    'payment_entries',
    'payment_reports',
    'contract_documents',
    'webhook_secrets',
    'availability_requests',
    'idempotency_keys',
    'broadband_steering',
  ].map((table) => `select '${table}' as what, to_jsonb(t) as row from ${table} t where true`),
  `select 'webhooks', jsonb_build_array(url, events, status, deleted_at) from webhooks t where true`,
  `select 'replays', to_jsonb(replay_id) from replays t where true`,
  `select 'events', to_jsonb(event_id) from events t where true`,
  `select distinct 'audit log', to_jsonb(credential) from audit_log t where actor = 'client'`,
]

/** Reads all rows that belong to this quote's partner and that a call can change. */
function rowsOf(service: ServiceUnderTest, quoteId: string): Promise<unknown> {
  const own = 't.partner_id = (select q.partner_id from quotes q where q.quote_id = $1)'
  return rawRows(service, `${changedByCalls.map((each) => `${each} and ${own}`).join(' union all ')} order by 1, 2`, [
    quoteId,
  ])
}

/** Properties belong to no partner. */
function isOfProperty(id: string): boolean {
  return id.startsWith('address_')
}

/** An unknown id of the same form. */
function unknownLike(id: string): string {
  return id.slice(0, -6) + (id.endsWith('zzzzzz') ? 'yyyyyy' : 'zzzzzz')
}

/** The whole response except for the date and the request id. */
function comparable(answer: ApiResponse): unknown {
  const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status: answer.status, headers, body: withoutRequestId(answer) }
}
