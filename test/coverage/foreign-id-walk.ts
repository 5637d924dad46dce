import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes/table.ts'
import { newForeignAccessCounters, reportForeignAccesses } from '../isolation/foreign-accesses.ts'
import { type ApiResponse, connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf } from '../support/deliveries.ts'
import { finalise, personalInformation, sampleTenants, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected, succeeded, withoutRequestId } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** Valid request bodies, by operation id. */
const bodies: Record<string, unknown> = {
  addPackages: { packageIds: ['any'] },
  updatePackages: { packageIds: ['any'] },
  addTenants: { tenants: sampleTenants(1) },
  removeTenants: { tenantIds: ['any'] },
  updateQuote: { metadata: { branch: 'Norwich' } },
  selectInstallDate: { date: '2027-01-04' },
  addBroadbandProducts: { broadbandProducts: ['any'] },
  finalisePersonalInformation: personalInformation(),
  sandboxConfirmSetupIntent: { paymentMethod: 'pm_card_visa' },
  sandboxAuthenticateSetupIntent: { outcome: 'passed' },
  sandboxSteerBroadband: { homeTelecom: { outcome: 'down' } },
  sandboxSetServiceStatus: { serviceId: 'electricity-standard', status: 'ended' },
  sandboxAdvanceDeliveries: { seconds: 1 },
  updateCustomer: { phone: '07700 900124' },
  reportConfirmationSent: { sentAt: '2026-11-20T09:00:00Z' },
  endContract: { endDate: '2027-06-30' },
  createReplacement: { name: 'Jo Joiner', email: 'jo.joiner@example.com', from: '2027-03-01' },
  updateWebhook: { status: 'disabled' },
  replayWebhook: { since: '2026-11-20T09:00:00Z' },
}

/** Ids of properties, which belong to no partner. */
const sharedIds = ['addressUid']

/**
 * Defines a test for every operation with an id in its path: another partner's id returns exactly what an unknown one returns.
 * Other tests cover ids in bodies and queries, the contents of lists, and changes in the database. The service must allow webhooks on
 * this machine.
 */
export function testForeignIds(service: ServiceUnderTest): void {
  /** The owner's ids. The key is the description that the API document gives for the path parameter. */
  const ids = new Map<string, string>()
  let owner: Partner
  let stranger: Partner
  let strangersQuote: string
  let ownersRows: unknown
  const accesses = newForeignAccessCounters()
  const { addressUid: home } = ordinaryProperty()

  before(async () => {
    owner = await connectPartner(service.baseUrl, service.credentials)
    stranger = await connectNewPartner(service)
    strangersQuote = (await startHousehold(stranger)).quoteId
    const { quoteId, lead, addressUid } = await startHousehold(owner)
    succeeded(await finalise(owner, lead))
    const { setupIntentId } = succeeded(await owner.post(`/Customers/${lead}/create-setup-intent`))
    const { uid } = succeeded(await owner.post('/Quotes/broadband-availability-requests', { addressUid }))
    const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
    const { webhookId } = succeeded(await owner.post('/Webhooks', webhook))
    ids.set('quoteId', quoteId).set('customerId', lead).set('setupIntentId', setupIntentId).set('webhookId', webhookId)
    const { deliveryId } = succeeded(await owner.post(`/Webhooks/${webhookId}/send-test-event`))
    const since = new Date(Date.now() - 60_000).toISOString()
    const { replayId } = succeeded(await owner.post(`/Webhooks/${webhookId}/replay`, { since }))
    const [event] = await eventsOf(owner)
    assert.ok(event)
    ids.set('deliveryId', deliveryId).set('replayId', replayId).set('eventId', event.id)
    ids.set('The uid of an availability request, or an addressUid.', uid)
    ownersRows = await rowsOf(service, quoteId)
  })

  /** Asserts that another partner's id and an unknown id get the same response. */
  function assertSameAsUnknown(foreign: ApiResponse, unknown: ApiResponse): void {
    accesses.tried += 1
    assert.deepEqual(comparable(foreign), comparable(unknown))
    accesses.refused += 1
  }

  for (const route of routes.filter(({ path }) => path.includes('{'))) {
    test(`${route.operationId}: another partner's id returns exactly what an unknown one returns`, async () => {
      if (sharedIds.includes(route.idDescription ?? '')) {
        rejected(await send(stranger, route, unknownLike(home)), 404, 'not_found')
        return
      }
      const id = ids.get(route.idDescription ?? '')
      assert.ok(id !== undefined, `this file has no ${route.idDescription}: create one above`)
      const foreign = await send(stranger, route, id)
      rejected(foreign, 404, 'not_found')
      const unknown = await send(stranger, route, unknownLike(id))
      assertSameAsUnknown(foreign, unknown)
      assertSameAsUnknown(
        await send(stranger, route, id, { 'Idempotency-Key': `foreign-${route.operationId}` }),
        unknown,
      )
    })

    test(`${route.operationId}: a malformed id returns 404, not 400`, async () => {
      const known = ids.get(route.idDescription ?? '') ?? home
      for (const id of [
        known.toUpperCase(),
        '0',
        'quote_',
        'tenant_01h455vb4pex5vsknk084sn02',
        '%00',
        '..%2f',
        'x'.repeat(300),
        '%F0%9F%8F%A0',
      ])
        rejected(await send(owner, route, id), 404, 'not_found')
    })
  }

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
        accesses.tried += 1
        assert.ok(!text.includes(id), id)
        accesses.refused += 1
      }
    })
  }

  test("after all these calls, the owner's rows are unchanged, and the audit log names nobody else", async () => {
    accesses.tried += 1
    assert.deepEqual(await rowsOf(service, ids.get('quoteId') ?? ''), ownersRows)
    accesses.refused += 1
  })

  test("an availability check by one partner does not count for another's quote of the same property", async () => {
    const { products } = succeeded(await owner.get(`/Quotes/run-broadband-availability-check/${home}`))
    const { quoteId } = succeeded(await stranger.post('/Quotes', { addressUid: home }))
    const answer = await stranger.post(`/Quotes/${quoteId}/add-broadband-products`, {
      broadbandProducts: [products[0]?.productId],
    })
    rejected(answer, 422, 'broadband_check_required')
  })

  reportForeignAccesses(accesses)
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

function send(by: Partner, { operationId, method, path }: Route, id: string, headers = {}): Promise<ApiResponse> {
  const to = path.replace(/\{\w+\}/, id)
  return by.send(method, to, method === 'GET' ? undefined : bodies[operationId], { headers })
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
