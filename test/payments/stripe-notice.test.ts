import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { call, connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, paymentStatus, quoteStatus, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'

// The notices that the processor sends do not reach this service. Each test signs and sends the notices it needs.
const processor = await startServiceWithProcessor({ RATE_LIMIT_PER_SECOND: '1000000' })
const { service, notify } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

async function createCustomerWithIntent() {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  return { quoteId, lead, setupIntentId, intent: await processor.readIntent(setupIntentId) }
}
const received = async (notice: ReturnType<typeof notify>) => {
  const response = await notice
  assert.deepEqual(succeeded(response), { received: true })
  assert.equal(response.headers.get('ratelimit-policy'), null, 'only unsigned notices count')
}

/** Every payment status the customer has had, in event order. */
async function moves(customerId: string): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select data->>'paymentStatus' as status from events
      where type = 'customer.payment.updated' and data->>'customerId' = $1 order by event_number`,
    [customerId],
  )
  return rows.map(({ status }) => String(status))
}

test('a notice whose signature is missing, wrong or over five minutes old returns 400 and changes nothing', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const intent = await processor.confirm(setupIntentId)
  const now = Math.floor(Date.now() / 1000)
  for (const how of [
    { signature: '' },
    { signature: 'nonsense' },
    { signature: `t=${now},v1=${'0'.repeat(64)}` },
    { signature: `t=${now},v0=${'0'.repeat(64)}` },
    { secret: 'whsec_another' },
    { signedSecondsAgo: 330 },
  ]) {
    const response = await notify('setup_intent.succeeded', intent, how)
    const problem = rejected(response, 400, 'invalid_request')
    assert.equal(problem.detail.includes(setupIntentId), false)
    assert.equal(response.headers.get('ratelimit-policy'), '"public";q=1000000;w=1')
  }
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  await received(notify('setup_intent.succeeded', intent, { signedSecondsAgo: 240 }))
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('a notice that is too large is 413, and another method 405', async () => {
  const url = `${service.baseUrl}/processor-webhooks/stripe`
  assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(65_537) })).status, 413)
  assert.equal((await fetch(url)).status, 405)
})

test('an unusually formatted notice is verified over its raw bytes', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const object = await processor.confirm(setupIntentId)
  const created = Math.floor(Date.now() / 1000)
  const event = { id: 'evt_spelt', object: 'event', type: 'setup_intent.succeeded', created, data: { object } }
  const rawBody = `${JSON.stringify(event, null, 2).replace('evt_spelt', '\\u0065vt_spelt')}\r\n`
  const secret = service.environment.STRIPE_WEBHOOK_SECRET ?? ''
  const signature = createHmac('sha256', secret).update(`${created}.${rawBody}`).digest('hex')
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${created},v1=${signature}` }
  await received(call(service.baseUrl, 'POST', '/processor-webhooks/stripe', undefined, { rawBody, headers }))
  assert.equal(await paymentStatus(partner, lead), 'ready')
  const rewritten = { rawBody: JSON.stringify(JSON.parse(rawBody)), headers }
  rejected(
    await call(service.baseUrl, 'POST', '/processor-webhooks/stripe', undefined, rewritten),
    400,
    'invalid_request',
  )
})

test('an older notice that arrives after a newer one does not change the status', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  const succeededIntent = await processor.authenticate(setupIntentId, 'authenticated')
  await received(notify('setup_intent.requires_action', acting, { secondsAgo: 20 }))
  await received(notify('setup_intent.setup_failed', failed, { secondsAgo: 30 }))
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  await received(notify('setup_intent.succeeded', succeededIntent, { secondsAgo: 10 }))
  await received(notify('setup_intent.requires_action', acting, { secondsAgo: 20 }))
  await received(notify('setup_intent.setup_failed', failed, { secondsAgo: 10 }))
  assert.deepEqual(await moves(lead), ['setup_started', 'ready'])
})

test("notices from the same second, in any order, result in the processor's current status and one event", async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  const acting = await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  const happenedAt = Math.floor(Date.now() / 1000)
  await received(notify('setup_intent.requires_action', acting, { happenedAt }))
  await received(notify('setup_intent.setup_failed', failed, { happenedAt }))
  assert.deepEqual(await moves(lead), ['setup_started'])
  const rejected = await processor.authenticate(setupIntentId, 'failed')
  await Promise.all([
    received(notify('setup_intent.requires_action', acting, { happenedAt })),
    received(notify('setup_intent.setup_failed', rejected, { happenedAt })),
    received(notify('setup_intent.setup_failed', failed, { happenedAt })),
  ])
  assert.deepEqual(await moves(lead), ['setup_started', 'setup_failed'])
})

test("a notice older than the processor's last response is ignored, and a newer one is applied", async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  const asked = processor.requests.length
  await received(notify('setup_intent.setup_failed', failed, { secondsAgo: 3 }))
  assert.deepEqual(await moves(lead), ['setup_started'])
  assert.equal(processor.requests.length, asked + 1)
  await received(notify('setup_intent.setup_failed', failed, { secondsAgo: -8 }))
  assert.deepEqual(await moves(lead), ['setup_started', 'setup_failed'])
  assert.equal(processor.requests.length, asked + 1)
})

test('a notice that may be outdated is applied anyway while the processor is down, and is checked within a minute', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.equal(await paymentStatus(partner, lead), 'setup_failed')
  await rawRows(processor.service, 'delete from simulated_processor.setup_intents where id = $1', [setupIntentId])
  const acting = { ...failed, status: 'requires_action', last_setup_error: null }
  await received(notify('setup_intent.requires_action', acting))
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  await received(notify('setup_intent.requires_action', acting))
  const [planned] = await rawRows(
    processor.service,
    'select retry_at <= clock_timestamp() as "isNow" from setup_intents where setup_intent_id = $1',
    [setupIntentId],
  )
  assert.deepEqual(planned, { isNow: true })
})

test('a success notice that is older than a recorded failure still means that a card is attached', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const intent = await processor.confirm(setupIntentId)
  await received(notify('setup_intent.succeeded', intent, { secondsAgo: 60 }))
  await received(
    notify('setup_intent.setup_failed', { ...intent, status: 'requires_payment_method', last_setup_error: {} }),
  )
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('a cancellation notice resets the status to not_started, and late notices of that intent change nothing', async () => {
  const { quoteId, lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  await received(notify('setup_intent.canceled', await processor.cancel(setupIntentId)))
  assert.equal(await paymentStatus(partner, lead), 'not_started')
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  const next = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  assert.notEqual(next.setupIntentId, setupIntentId)
  await received(notify('setup_intent.setup_failed', failed))
  assert.deepEqual(await moves(lead), ['setup_started', 'not_started', 'setup_started'])
})

test('a notice with an unknown intent or customer, or of an unused type, is accepted and ignored', async () => {
  const before = await rawRows(service, 'select count(*) from events')
  await received(notify('setup_intent.succeeded', { id: 'seti_unknown', customer: 'cus_unknown', status: 'succeeded' }))
  await received(notify('payment_intent.succeeded', { id: 'pi_unknown', customer: 'cus_unknown' }))
  await received(notify('payment_intent.succeeded', { id: 'pi_unknown', customer: null }))
  const charge = { id: 'ch_foreign', payment_intent: 'pi_foreign', currency: 'gbp', amount: 1, amount_refunded: 1 }
  await received(notify('charge.refunded', charge))
  await received(notify('charge.dispute.created', { ...charge, id: 'dp_foreign' }))
  await received(notify('customer.updated', { id: 'cus_unknown' }))
  await received(notify('something.new', {}))
  assert.deepEqual(await rawRows(service, 'select count(*) from events'), before)
})

test('a notice that arrives after the quote was cancelled is accepted and leaves the quote cancelled', async () => {
  const { quoteId, lead, setupIntentId } = await createCustomerWithIntent()
  const failed = await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
  await received(notify('setup_intent.setup_failed', failed))
  assert.equal(await quoteStatus(partner, quoteId), 'cancelled')
  assert.equal(await paymentStatus(partner, lead), 'not_started')
})
