import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes/table.ts'
import { refused, succeeded, withoutRequestId } from '../support/answers.ts'
import { type Answer, connectPartner, type Partner } from '../support/client.ts'
import { eventsOf } from '../support/deliveries.ts'
import { ordinaryHome } from '../support/homes.ts'
import { finalise, peopleOf, personalInformation, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import type { TestService } from '../support/service.ts'

/** Bodies that get past the check of their shape, by operation. */
const bodies: Record<string, unknown> = {
  addPackages: { packageIds: ['any'] },
  updatePackages: { packageIds: ['any'] },
  addTenants: { tenants: peopleOf(1) },
  removeTenants: { tenantIds: ['any'] },
  addBroadbandProducts: { broadbandProducts: ['any'] },
  finalisePersonalInformation: personalInformation(),
  sandboxConfirmSetupIntent: { paymentMethod: 'pm_card_visa' },
  sandboxAuthenticateSetupIntent: { outcome: 'passed' },
  sandboxSteerBroadband: { homeTelecom: { outcome: 'down' } },
  updateWebhook: { status: 'disabled' },
  replayWebhook: { since: '2026-11-20T09:00:00Z' },
}

/** A home is nobody's: every partner may name it. */
const ofNobody = ['addressUid']

/**
 * Defines a test for every operation with an id in its path: another partner's id is answered as one that nobody has, byte for
 * byte. And for every place where an id stands in a body or a query. The service has to allow webhooks on this machine.
 */
export function testForeignIds(service: TestService): void {
  /** What a path can name: something the owner has, by what the operation says its id is. */
  const ids = new Map<string, string>()
  let owner: Partner
  let stranger: Partner
  let strangersQuote: string
  const { addressUid: home } = ordinaryHome()

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
    ids.set('deliveryId', deliveryId).set('replayId', replayId).set('eventId', event.id)
    ids.set("an availability request's uid, or an addressUid", uid)
  })

  for (const route of routes.filter(({ path }) => path.includes('{'))) {
    test(`${route.operationId}: another partner's id, when it is sent, is answered exactly as an unknown one`, async () => {
      if (ofNobody.includes(route.idDescription ?? '')) {
        refused(await ask(stranger, route, nobodys(home)), 404, 'not_found')
        return
      }
      const id = ids.get(route.idDescription ?? '')
      assert.ok(id !== undefined, `this file knows no ${route.idDescription}: make one above`)
      const foreign = await ask(stranger, route, id)
      refused(foreign, 404, 'not_found')
      const unknown = await ask(stranger, route, nobodys(id))
      assert.deepEqual(seen(foreign), seen(unknown))
      const withKey = await ask(stranger, route, id, { 'Idempotency-Key': `foreign-${route.operationId}` })
      assert.deepEqual(seen(withKey), seen(unknown))
    })

    test(`${route.operationId}: an id that could not be one, when it is sent, is 404 and not 400`, async () => {
      for (const id of [
        '0',
        'quote_',
        'tenant_01h455vb4pex5vsknk084sn02',
        '%00',
        '..%2f',
        'x'.repeat(300),
        '%F0%9F%8F%A0',
      ])
        refused(await ask(owner, route, id), 404, 'not_found')
    })
  }

  test("a list, whoever asks, holds the asking partner's own only", async () => {
    const listed = succeeded(await stranger.get('/Quotes?limit=100')).data
    assert.deepEqual(
      listed.map((quote: { quoteId: string }) => quote.quoteId),
      [strangersQuote],
    )
  })

  test("another partner's ids in a body, when they are sent, are answered as unknown ones", async () => {
    const tenant = ids.get('customerId') ?? ''
    const remove = (tenantId: string) =>
      stranger.post(`/Quotes/${strangersQuote}/remove-tenants`, { tenantIds: [tenantId] })
    const [foreign, unknown] = [await remove(tenant), await remove(nobodys(tenant))]
    assert.equal(foreign.status, 422)
    assert.deepEqual(seen(foreign), seen(unknown))
  })

  test("a check of availability by one partner does not count for another's quote of the same home", async () => {
    const { products } = succeeded(await owner.get(`/Quotes/run-broadband-availability-check/${home}`))
    const { quoteId } = succeeded(await stranger.post('/Quotes', { addressUid: home }))
    const answer = await stranger.post(`/Quotes/${quoteId}/add-broadband-products`, {
      broadbandProducts: [products[0].productId],
    })
    refused(answer, 422, 'broadband_check_required')
  })
}

function ask(by: Partner, { operationId, method, path }: Route, id: string, headers = {}): Promise<Answer> {
  const to = path.replace(/\{\w+\}/, id)
  return by.send(method, to, method === 'GET' ? undefined : bodies[operationId], { headers })
}

/** An id of the same form that nobody has. */
function nobodys(id: string): string {
  return id.slice(0, -6) + (id.endsWith('zzzzzz') ? 'yyyyyy' : 'zzzzzz')
}

/** Every byte of an answer but the moment and the request's own id. */
function seen(answer: Answer): unknown {
  const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status: answer.status, headers, body: withoutRequestId(answer) }
}
