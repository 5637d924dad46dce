import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCustomerWithCard } from '../payments/collection-sweep.fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows, readPaymentStatusHistory, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { waitForLockWaiters } from '../support/lock-waiters.ts'
import { withDatabase } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const expiryYear = new Date().getUTCFullYear() + 3

async function readyCustomer(): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  return lead
}

async function payment(customerId: string) {
  const { paymentStatus, paymentMethod, lastPaymentError } = succeeded(await partner.get(`/Customers/${customerId}`))
  return { paymentStatus, paymentMethod, lastPaymentError: lastPaymentError?.code ?? null }
}

test('a customer shows no card and no error before card set-up, then the card that was attached', async () => {
  const lead = await readyCustomer()
  const none = { paymentMethod: null, lastPaymentError: null }
  assert.deepEqual(await payment(lead), { paymentStatus: 'not_started', ...none })
  await attachCard(partner, lead, 'pm_card_mastercard')
  const card = { brand: 'mastercard', last4: '4444', expiryMonth: 12, expiryYear }
  assert.deepEqual(await payment(lead), { paymentStatus: 'ready', paymentMethod: card, lastPaymentError: null })
  const exported = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual(exported.paymentMethod, card)
  const rows = JSON.stringify(await rawRows(service, 'select * from setup_intents where customer_id = $1', [lead]))
  assert.equal(rows.includes('mastercard'), false, 'the card is encrypted')
})

test('each decline is one event and shows why, without revealing that a card was lost; a success clears the error', async () => {
  const lead = await readyCustomer()
  for (const [card, code] of [
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedLostCard', 'card_declined'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
  ] as const) {
    await attachCard(partner, lead, card)
    assert.deepEqual(await payment(lead), {
      paymentStatus: 'setup_failed',
      paymentMethod: null,
      lastPaymentError: code,
    })
  }
  const { lastPaymentError } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual(lastPaymentError, { code: 'expired_card', message: 'The card has expired. Use another card.' })
  await attachCard(partner, lead)
  assert.equal((await payment(lead)).lastPaymentError, null)
  await waitForProcessorWebhooks(service)
  const failed = Array.from({ length: 3 }, () => 'setup_failed')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', ...failed, 'ready'])
})

test('a collection that fails shows why until the next one succeeds', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const collect = (outcome: string) => partner.post(`/Sandbox/customers/${lead}/collect`, { outcome })
  succeeded(await collect('failed'))
  assert.equal((await payment(lead)).lastPaymentError, 'card_declined')
  succeeded(await collect('paid'))
  assert.equal((await payment(lead)).lastPaymentError, null)
})

const storedPaymentData = `select from customers where customer_id = $1 and last_payment_error_encrypted is not null
  union all select from setup_intents where customer_id = $1
  union all select from payment_reports where customer_id = $1`

test('an erasure removes the card, the error and what the processor reported, also while it is erasing', async () => {
  const processor = await startServiceWithProcessor()
  try {
    const own = await connectPartner(processor.service.baseUrl, processor.service.credentials)
    const { lead, setupIntentId } = await createCustomerWithCard(processor, own)
    const payments = [
      await processor.collect(setupIntentId, 'failed'),
      await processor.collect(setupIntentId, 'failed'),
    ]
    const [known, late] = payments
    assert.ok(known && late)
    succeeded(await processor.notify('payment_intent.payment_failed', known))
    const shown = succeeded(await own.get(`/Customers/${lead}`))
    assert.deepEqual([shown.paymentMethod?.last4, shown.lastPaymentError?.code], ['4242', 'card_declined'])
    await withDatabase(processor.service, async (db) => {
      const holder = await db.pool.connect()
      try {
        await holder.query('begin')
        await holder.query('select from quotes where quote_id = $1 for update', [shown.quoteId])
        const erasure = own.post(`/Customers/${lead}/erase`)
        await waitForLockWaiters(holder, 1)
        // The notice finds its owner before it waits for the quote.
        const notice = processor.notify('payment_intent.payment_failed', late)
        await waitForLockWaiters(holder, 2)
        await holder.query('rollback')
        succeeded(await erasure)
        await notice
      } finally {
        holder.release()
      }
    })
    const { paymentMethod, lastPaymentError } = succeeded(await own.get(`/Customers/${lead}`))
    assert.deepEqual([paymentMethod, lastPaymentError], [null, null])
    assert.deepEqual(await rawRows(processor.service, storedPaymentData, [lead]), [])
  } finally {
    await processor.stop()
  }
})
