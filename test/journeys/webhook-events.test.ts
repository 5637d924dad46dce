import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { eventTypes } from '../../src/events/event.ts'
import { connectPartner } from '../support/client.ts'
import { waitForPaymentStatus, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { attachCard, finalise, findProperty, sampleTenants, startHousehold } from '../support/household.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
const partner = await connectPartner(service.baseUrl, service.credentials)
const everyEvent = [...eventTypes]

test('a receiver of all events gets every change of a household, signed, in order and without personal data', async (t) => {
  const receiver = await startReceiver(t)
  const { webhookId, secret } = succeeded(
    await partner.post('/Webhooks', { url: `https://127.0.0.1:${receiver.port}/hooks`, events: everyEvent }),
  )
  const addressUid = await findProperty(partner, 'CB2 1TN')
  const reference = 'partner-ref 42'
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid, reference }))
  const energy = { packageIds: ['electricity-standard', 'gas-standard'] }
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, energy))
  succeeded(await partner.post(`/Quotes/${quoteId}/add-packages`, energy))
  const { tenants } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: sampleTenants(2) }))
  const [lead = assert.fail('no tenant'), second = assert.fail('only one tenant')] = tenants.map(
    ({ tenantId }) => tenantId,
  )
  succeeded(await partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds: ['gas-standard'] }))
  succeeded(await finalise(partner, lead))
  succeeded(await finalise(partner, lead, { lastName: 'Again' }))
  await attachCard(partner, lead, 'pm_card_chargeDeclined')
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  await attachCard(partner, lead)
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  succeeded(await finalise(partner, second))
  await attachCard(partner, second)
  succeeded(await partner.post(`/Customers/${second}/accept-terms`))

  const about = { quoteId, reference, branch: null, soldBy: null }
  const quote = (previousStatus: string | null, status: string, reason: string | null = null) => [
    'quote.status.changed',
    { ...about, previousStatus, status, reason },
  ]
  const payment = (customerId: string, previousPaymentStatus: string, paymentStatus: string) => [
    'customer.payment.updated',
    { customerId, ...about, previousPaymentStatus, paymentStatus },
  ]
  const customer = (customerId: string, previousStatus: string, status: string) => [
    'customer.status.changed',
    { customerId, ...about, previousStatus, status, reason: null },
  ]
  const numbers = new Map<string, string>()
  for (const id of [lead, second])
    numbers.set(id, succeeded(await partner.get(`/Customers/${id}`)).contract?.contractNumber ?? '')
  const contract = (customerId: string, previousStatus: string | null, status: string) => [
    'customer.contract.changed',
    { customerId, ...about, contractNumber: numbers.get(customerId), previousStatus, status, reason: null },
  ]
  const expected = [
    quote(null, 'draft'),
    quote('draft', 'PackagesSelected'),
    quote('PackagesSelected', 'TenantsAdded'),
    quote('TenantsAdded', 'PackagesUpdated'),
    customer(lead, 'active', 'PersonalInfoComplete'),
    payment(lead, 'not_started', 'setup_started'),
    quote('PackagesUpdated', 'active'),
    payment(lead, 'setup_started', 'setup_failed'),
    payment(lead, 'setup_failed', 'not_started'),
    quote('active', 'PackagesUpdated', 'reopened'),
    payment(lead, 'not_started', 'setup_started'),
    quote('PackagesUpdated', 'active'),
    payment(lead, 'setup_started', 'ready'),
    contract(lead, null, 'agreed'),
    customer(lead, 'PersonalInfoComplete', 'OnboardingComplete'),
    customer(second, 'active', 'PersonalInfoComplete'),
    payment(second, 'not_started', 'setup_started'),
    payment(second, 'setup_started', 'ready'),
    contract(second, null, 'agreed'),
    customer(second, 'PersonalInfoComplete', 'OnboardingComplete'),
    contract(lead, 'agreed', 'in_force'),
    contract(second, 'agreed', 'in_force'),
    quote('active', 'completed'),
  ]
  await waitFor('every event arrives', () => receiver.events().length >= expected.length)
  const events = receiver.events()
  assert.deepEqual(
    events.map(({ message }) => [message.type, message.data]),
    expected,
  )

  const verifier = new Webhook(secret)
  for (const { headers, body, message } of receiver.received) {
    const signed = verifier.verify(body, headers as Record<string, string>)
    assert.deepEqual(Object.keys(signed as object), ['id', 'type', 'timestamp', 'data'])
    assert.equal(headers['webhook-id'], message.id)
    assert.equal(headers['content-type'], 'application/json')
    assert.match(headers['user-agent'] ?? '', /^Housebill-Webhooks\//)
    assert.match(message.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const withoutIds = body.replaceAll(/_[0-9a-z]{26}/g, '')
    assert.doesNotMatch(withoutIds, /Robin|Example|Alex|Morgan|Again|@|\+44|1999|_secret_|CB2/)
  }
  assert.equal(new Set(events.map(({ message }) => message.id)).size, events.length)
  const times = events.map(({ message }) => message.timestamp)
  assert.deepEqual(times, times.toSorted())
  const verification = receiver.received.find(({ message }) => message.type === 'webhook.verification')
  assert.equal(verification?.message.data.webhookId, webhookId)
  await waitFor('the echo is recorded', async () => {
    const { verification: state } = succeeded(await partner.get(`/Webhooks/${webhookId}`))
    return state === 'verified'
  })
})

test('late notices from the processor cause one event per change, and repricing causes one event', async (t) => {
  const own = await connectAnotherPartner(service)
  const receiver = await startReceiver(t)
  succeeded(await own.post('/Webhooks', { url: `https://127.0.0.1:${receiver.port}`, events: everyEvent }))
  const { quoteId, lead } = await startHousehold(own, { tenants: 1 })
  succeeded(await own.post(`/Sandbox/quotes/${quoteId}/expire`))
  assert.equal(succeeded(await own.get(`/Quotes/${quoteId}/total-cost`)).QuotePricesUpdated, true)
  succeeded(await finalise(own, lead))
  succeeded(await own.post('/Sandbox/payment-processor/webhooks', { delaySeconds: 1 }))
  await attachCard(own, lead)
  await waitForPaymentStatus(own, lead, 'ready')
  succeeded(await own.post(`/Customers/${lead}/accept-terms`))
  for (const outcome of ['paid', 'failed']) {
    succeeded(await own.post(`/Sandbox/customers/${lead}/collect`, { outcome }))
    await waitForPaymentStatus(own, lead, outcome)
  }
  await waitForProcessorWebhooks(service)
  await waitFor('all events arrive', () => receiver.events().length >= 14)
  assert.deepEqual(
    receiver.events().map(({ message }) => message.data.status ?? message.data.paymentStatus ?? message.type),
    [
      'draft',
      'PackagesSelected',
      'TenantsAdded',
      'quote.prices.updated',
      'PersonalInfoComplete',
      'setup_started',
      'active',
      'ready',
      'agreed',
      'OnboardingComplete',
      'in_force',
      'completed',
      'paid',
      'failed',
    ],
  )
})
