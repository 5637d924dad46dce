import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import {
  rawRows,
  readPaymentStatusHistory,
  waitForPaymentStatus,
  waitForProcessorWebhooks,
} from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const collect = (customerId: string, body?: unknown) => partner.post(`/Sandbox/customers/${customerId}/collect`, body)

/** A customer with a card and a contract in force. */
async function withCard(paymentMethod?: string, own = partner): Promise<string> {
  const { lead } = await startHousehold(own, { tenants: 1 })
  succeeded(await finalise(own, lead))
  await attachCard(own, lead, paymentMethod)
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
  return lead
}

test('another card leaves the status failed while a payment is failed', async () => {
  const lead = await withCard()
  succeeded(await collect(lead, { outcome: 'failed' }))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
  succeeded(
    await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod: 'pm_card_mastercard' }),
  )
  await waitForProcessorWebhooks(service)
  const { paymentStatus, paymentMethod } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual([paymentStatus, paymentMethod?.brand], ['failed', 'mastercard'])
})

test('a collection from a customer with a card takes the next scheduled payment and sends one event', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const { paymentSchedule } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  const { payments, nextPaymentDate } = paymentSchedule
  const next = payments.find(({ date }) => date === nextPaymentDate)
  const { amount, paymentStatus, customerId } = succeeded(await collect(lead))
  assert.deepEqual(
    { customerId, amount, paymentStatus },
    { customerId: lead, amount: next?.amount, paymentStatus: 'paid' },
  )
  assert.ok(amount > 0)
  await waitForProcessorWebhooks(service)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid'])
})

test('a call that was killed after taking the payment does not take a second one when retried with the same key', async () => {
  const lead = await withCard()
  const send = () =>
    partner.post(`/Sandbox/customers/${lead}/collect`, {}, { headers: { 'Idempotency-Key': `collect-${lead}` } })
  const first = succeeded(await send())
  // As if the process had been killed before its transaction: the processor has taken the payment, but no response is
  // stored here.
  await rawRows(service, `delete from idempotency_keys where key = $1`, [`collect-${lead}`])
  assert.deepEqual(succeeded(await send()), first)
  const taken = `select from simulated_processor.payment_intents
    where object #>> '{metadata,housebill_customer_id}' = $1`
  assert.equal((await rawRows(service, taken, [lead])).length, 1)
})

test('a refund that was killed before its response reverses no other payment when retried with the same key', async () => {
  const lead = await withCard()
  for (let payment = 0; payment < 2; payment += 1) succeeded(await collect(lead, { outcome: 'paid' }))
  for (const outcome of ['refunded', 'disputed']) {
    const headers = { 'Idempotency-Key': `${outcome}-${lead}` }
    const send = () => partner.post(`/Sandbox/customers/${lead}/collect`, { outcome }, { headers })
    const first = succeeded(await send())
    await rawRows(service, `delete from idempotency_keys where key = $1`, [headers['Idempotency-Key']])
    assert.deepEqual(succeeded(await send()), first)
  }
  const reversed = `select amount_refunded > 0 as refunded, disputed from simulated_processor.payment_intents
                     where object #>> '{metadata,housebill_customer_id}' = $1 order by (object ->> 'created')::int`
  assert.deepEqual(await rawRows(service, reversed, [lead]), [
    { refunded: false, disputed: true },
    { refunded: true, disputed: false },
  ])
})

test('each payment of the schedule is collected once, in order, until none is left; together they are the total cost', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  succeeded(await collect(lead, { outcome: 'failed' }))
  let total = 0
  for (const { amount } of payments) {
    assert.equal(succeeded(await collect(lead, { outcome: 'paid' })).amount, amount)
    total += amount
  }
  assert.equal(total, succeeded(await partner.get(`/Customers/${lead}/total-cost`)).totalCost)
  const { detail } = rejected(await collect(lead), 422, 'validation_failed')
  assert.match(detail, /Every payment/)
  const after = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  assert.deepEqual([...new Set(after.payments.map(({ status }) => status))], ['paid'])
  assert.equal(after.nextPaymentDate, payments.at(-1)?.date)
})

test('before the contract takes effect, nothing is owed, so nothing is collected', async () => {
  const { tenants } = await startHousehold(partner, { tenants: 2 })
  const [lead = '', second = ''] = tenants
  succeeded(await finalise(partner, lead))
  await attachCard(partner, lead)
  rejected(await collect(lead), 422, 'contract_not_in_force')
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  rejected(await collect(lead), 422, 'contract_not_in_force')
  await onboard(partner, second)
  assert.equal(succeeded(await collect(lead)).paymentStatus, 'paid')
})

test('simultaneous collections take each payment of the schedule once', async () => {
  const lead = await withCard()
  const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  const answers = await Promise.all(Array.from({ length: 30 }, () => collect(lead, { outcome: 'paid' })))
  assert.equal(answers.filter(({ status }) => status === 200).length, payments.length)
  const taken = await rawRows(
    service,
    `select object #>> '{metadata,housebill_entry_id}' as entry from simulated_processor.payment_intents
      where object #>> '{metadata,housebill_customer_id}' = $1`,
    [lead],
  )
  assert.equal(taken.length, payments.length)
  assert.equal(new Set(taken.map(({ entry }) => entry)).size, payments.length)
})

test('a refund and a dispute reverse the payment collected last and send one event each; a dispute makes the status failed', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  rejected(await collect(lead, { outcome: 'refunded' }), 422, 'validation_failed')
  const [first, second] = [succeeded(await collect(lead)), succeeded(await collect(lead))]
  assert.deepEqual(succeeded(await collect(lead, { outcome: 'refunded' })), { ...second, paymentStatus: 'paid' })
  assert.deepEqual(succeeded(await collect(lead, { outcome: 'disputed' })), { ...first, paymentStatus: 'failed' })
  rejected(await collect(lead, { outcome: 'disputed' }), 422, 'validation_failed')
  await waitForProcessorWebhooks(service)
  const { payments } = succeeded(await partner.get(`/Customers/${lead}/payment-schedules`)).paymentSchedule
  assert.deepEqual(
    payments.slice(0, 3).map(({ status }) => status),
    ['disputed', 'refunded', 'planned'],
  )
  const paid = Array.from({ length: 3 }, () => 'paid')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', ...paid, 'failed'])
})

test('a collection from pm_card_chargeCustomerFail fails, but the outcome field overrides the result of any card', async () => {
  const lead = await withCard('pm_card_chargeCustomerFail')
  assert.equal(succeeded(await collect(lead)).paymentStatus, 'failed')
  assert.equal(succeeded(await collect(lead, { outcome: 'paid' })).paymentStatus, 'paid')
  assert.equal(succeeded(await collect(lead, { outcome: 'failed' })).paymentStatus, 'failed')
  assert.equal(succeeded(await collect(lead, {})).paymentStatus, 'failed')
  await waitForProcessorWebhooks(service)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), [
    'setup_started',
    'ready',
    'failed',
    'paid',
    'failed',
    'failed',
  ])
})

test('collecting without a card, or with a declined one, returns 422 payment_setup_incomplete and changes nothing', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  rejected(await collect(lead), 422, 'payment_setup_incomplete')
  succeeded(await finalise(partner, lead))
  await attachCard(partner, lead, 'pm_card_chargeDeclined')
  rejected(await collect(lead), 422, 'payment_setup_incomplete')
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'setup_failed'])
})

test('delayed webhooks change the status only when they arrive', async () => {
  const lead = await withCard()
  const steer = (body: unknown) => partner.post('/Sandbox/payment-processor/webhooks', body)
  succeeded(await steer({ delaySeconds: 3 }))
  assert.equal(succeeded(await collect(lead, { outcome: 'paid' })).paymentStatus, 'ready')
  assert.equal(succeeded(await collect(lead, { outcome: 'failed' })).paymentStatus, 'ready')
  await waitForPaymentStatus(partner, lead, 'failed')
  await waitForProcessorWebhooks(service)
  assert.deepEqual(await readPaymentStatusHistory(service, lead), ['setup_started', 'ready', 'paid', 'failed'])
  succeeded(await steer({ lost: true }))
  assert.equal(succeeded(await collect(lead, { outcome: 'paid' })).paymentStatus, 'failed')
  succeeded(await steer({}))
  assert.equal(succeeded(await collect(lead, { outcome: 'paid' })).paymentStatus, 'paid')
})

test('confirm and collect return 503 in a sandbox with the real processor and send nothing to it', async () => {
  const real = await startServiceWithProcessor()
  try {
    const own = await connectPartner(real.service.baseUrl, real.service.credentials)
    const { lead } = await startHousehold(own, { tenants: 1 })
    succeeded(await finalise(own, lead))
    const { setupIntentId } = succeeded(await own.post(`/Customers/${lead}/create-setup-intent`))
    real.requests.length = 0
    const card = { paymentMethod: 'pm_card_visa' }
    const confirmed = await own.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, card)
    rejected(confirmed, 503, 'service_unavailable')
    assert.match(confirmed.headers.get('retry-after') ?? '', /^\d+$/)
    assert.deepEqual(real.requests, [])
    await real.confirm(setupIntentId)
    real.requests.length = 0
    rejected(await own.post(`/Sandbox/customers/${lead}/collect`), 503, 'service_unavailable')
    for (const [path, body] of [
      ['webhooks', {}],
      ['outage', { down: true }],
    ] as const)
      rejected(await own.post(`/Sandbox/payment-processor/${path}`, body), 503, 'service_unavailable')
    rejected(
      await own.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome: 'passed' }),
      503,
      'service_unavailable',
    )
    assert.deepEqual(real.requests, [])
  } finally {
    await real.stop()
  }
})
