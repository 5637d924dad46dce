import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory } from '../support/customer-fixtures.ts'
import { finalise, quoteStatus, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'

// The notices that the processor sends do not reach this service. Each test sends the notices it needs.
const processor = await startServiceWithProcessor()
const { service, notify } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

const create = (customerId: string, body?: unknown) =>
  partner.post(`/Customers/${customerId}/create-setup-intent`, body)
const replace = async (customerId: string) => succeeded(await create(customerId, { replace: true })).setupIntentId
const customer = async (customerId: string) => succeeded(await partner.get(`/Customers/${customerId}`))
const last4 = async (customerId: string) => (await customer(customerId)).paymentMethod?.last4 ?? null

/** Confirms an intent with a card and sends the notice. */
async function confirm(setupIntentId: string, card?: string, secondsAgo = 0) {
  const intent = await processor.confirm(setupIntentId, card)
  const type = intent.status === 'succeeded' ? 'setup_intent.succeeded' : 'setup_intent.setup_failed'
  succeeded(await notify(type, intent, { secondsAgo }))
  return intent
}

/** A customer with a Visa card. */
async function customerWithCard(tenants = 1) {
  const { quoteId, lead } = await startHousehold(partner, { tenants })
  succeeded(await finalise(partner, lead))
  const { setupIntentId, processorCustomerId } = succeeded(await create(lead))
  await confirm(setupIntentId, 'pm_card_visa', 100)
  return { quoteId, lead, setupIntentId, processorCustomerId }
}

async function acceptedCustomer() {
  const accepted = await customerWithCard()
  succeeded(await partner.post(`/Customers/${accepted.lead}/accept-terms`))
  return accepted
}

test('after completion, another card replaces the first one when it is attached, with one event, and the quote stays as it is', async () => {
  const { quoteId, lead, setupIntentId } = await acceptedCustomer()
  assert.equal(await quoteStatus(partner, quoteId), 'completed')
  const other = await replace(lead)
  assert.notEqual(other, setupIntentId)
  assert.equal(await replace(lead), other, 'an unfinished replacement is reused')
  assert.equal(succeeded(await create(lead)).setupIntentId, setupIntentId, 'without replace, nothing changes')
  assert.deepEqual([(await customer(lead)).paymentStatus, await last4(lead)], ['ready', '4242'])
  await confirm(other, 'pm_card_mastercard')
  await confirm(other)
  assert.deepEqual([(await customer(lead)).paymentStatus, await last4(lead)], ['ready', '4444'])
  assert.equal(await quoteStatus(partner, quoteId), 'completed')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'ready'])
  assert.equal(succeeded(await create(lead)).setupIntentId, other)
})

test("the processor's default card changes only when the other card is attached", async () => {
  const { lead, processorCustomerId } = await acceptedCustomer()
  const readDefault = async () => {
    const [row] = await rawRows(
      service,
      `select c.object #>> '{invoice_settings,default_payment_method}' as method, m.card ->> 'last4' as last4
         from simulated_processor.customers c left join simulated_processor.payment_methods m
           on m.id = c.object #>> '{invoice_settings,default_payment_method}' where c.id = $1`,
      [processorCustomerId],
    )
    return row?.last4
  }
  const other = await replace(lead)
  await confirm(other, 'pm_card_chargeDeclined')
  assert.equal(await readDefault(), null)
  await confirm(other, 'pm_card_amex')
  assert.equal(await readDefault(), '0005')
})

test('declines of another card are events, leave the status and the card, and the same intent accepts a different card', async () => {
  const { lead } = await acceptedCustomer()
  const other = await replace(lead)
  await confirm(other, 'pm_card_chargeDeclined', 20)
  await confirm(other, 'pm_card_visa_chargeDeclinedInsufficientFunds', 10)
  const { paymentStatus, lastPaymentError } = await customer(lead)
  assert.deepEqual([paymentStatus, lastPaymentError?.code, await last4(lead)], ['ready', 'insufficient_funds', '4242'])
  assert.equal(await replace(lead), other)
  await confirm(other, 'pm_card_mastercard')
  assert.equal((await customer(lead)).lastPaymentError, null)
  const ready = Array.from({ length: 4 }, () => 'ready')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', ...ready])
})

test('after a failed collection, another card makes the customer ready, and a late notice about the old card does not undo it', async () => {
  const { lead, setupIntentId } = await acceptedCustomer()
  const [failed, late] = [
    await processor.collect(setupIntentId, 'failed'),
    await processor.collect(setupIntentId, 'failed'),
  ]
  succeeded(await notify('payment_intent.payment_failed', failed, { secondsAgo: 60 }))
  const other = await replace(lead)
  assert.equal((await customer(lead)).paymentStatus, 'failed')
  await confirm(other, 'pm_card_mastercard', 20)
  succeeded(await notify('payment_intent.payment_failed', late, { secondsAgo: 40 }))
  const { paymentStatus, lastPaymentError } = await customer(lead)
  assert.deepEqual([paymentStatus, lastPaymentError, await last4(lead)], ['ready', null, '4444'])
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'failed', 'ready'])
})

test('without an attached card, replace changes nothing: the usual rules apply and a failed set-up reuses its intent', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  rejected(await create(lead, { replace: true }), 422, 'personal_information_required')
  succeeded(await finalise(partner, lead))
  const first = await replace(lead)
  await confirm(first, 'pm_card_chargeDeclined')
  assert.equal(await replace(lead), first)
})

test('if the notice of the first card was lost, replace finds that it is attached and creates an intent for another', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await create(lead))
  await processor.confirm(setupIntentId)
  const other = await replace(lead)
  assert.notEqual(other, setupIntentId)
  assert.equal((await customer(lead)).paymentStatus, 'ready')
  await processor.confirm(other, 'pm_card_mastercard')
  assert.notEqual(await replace(lead), other)
})

test('reopening the quote cancels an unfinished replacement and keeps the card, and then neither locks the quote nor needs it active', async () => {
  const { quoteId, lead, setupIntentId } = await customerWithCard(2)
  const other = await replace(lead)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  assert.equal((await processor.readIntent(other)).status, 'canceled')
  assert.deepEqual([(await customer(lead)).paymentStatus, await last4(lead)], ['ready', '4242'])
  const status = await quoteStatus(partner, quoteId)
  const again = await replace(lead)
  assert.ok(again !== other && again !== setupIntentId)
  assert.equal(await quoteStatus(partner, quoteId), status)
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
  await confirm(await replace(lead), 'pm_card_mastercard')
  assert.deepEqual([(await customer(lead)).paymentStatus, await last4(lead)], ['ready', '4444'])
})

test('two requests at once create one replacement', async () => {
  const { lead } = await acceptedCustomer()
  const ids = await Promise.all(Array.from({ length: 4 }, () => replace(lead)))
  assert.equal(new Set(ids).size, 1)
})

test('an erased customer cannot attach another card', async () => {
  const { lead } = await customerWithCard()
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  rejected(await create(lead, { replace: true }), 422, 'customer_erased')
})

test('if the processor is down when the notice arrives, the card is ready at once and its details follow', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await create(lead))
  const intent = await processor.confirm(setupIntentId)
  processor.setMode('failing')
  succeeded(await notify('setup_intent.succeeded', intent))
  processor.setMode('up')
  assert.deepEqual([(await customer(lead)).paymentStatus, await last4(lead)], ['ready', null])
  const due = `select from setup_intents where setup_intent_id = $1 and card_encrypted is null
    and retry_at < now() + interval '6 minutes'`
  assert.equal((await rawRows(service, due, [setupIntentId])).length, 1)
  succeeded(await notify('setup_intent.succeeded', intent))
  assert.equal(await last4(lead), '4242')
})
