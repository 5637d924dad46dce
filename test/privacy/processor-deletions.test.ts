import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { deleteAtProcessor } from '../../src/privacy/delete-at-processor.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { whileHeld } from '../support/lock-waiters.ts'
import { withDatabase } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { withDatabaseKeys } from './decrypted-contents.ts'

const processor = await startServiceWithProcessor()
const { service } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const paymentProcessor = createStripePaymentProcessor({
  upstream: createUpstream({ name: 'payment-processor', baseUrl: service.environment.STRIPE_API_BASE ?? '' }),
  secretKey: service.environment.STRIPE_SECRET_KEY ?? '',
  webhookSecret: 'whsec_unused',
})

const sweep = () =>
  withDatabaseKeys(service, async ({ databases }) => {
    await rawRows(service, 'update processor_deletions set due_at = now()')
    return deleteAtProcessor({ databases, paymentProcessor }, { limit: 20, isStopping: () => false })
  })
const waiting = () => rawRows(service, 'select customer_id as id from processor_deletions')
const atProcessor = (customerId: string) =>
  rawRows(
    service,
    `select id from simulated_processor.customers where object->'metadata'->>'housebill_customer_id' = $1`,
    [customerId],
  )

beforeEach(() => rawRows(service, 'delete from processor_deletions'))

test('erasing a customer also deletes them at the processor if the response to the call that created them there was lost', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  processor.setMode('losing responses')
  rejected(await partner.post(`/Customers/${lead}/create-setup-intent`), 503, 'service_unavailable')
  processor.setMode('up')
  assert.equal((await atProcessor(lead)).length, 1)
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  await sweep()
  assert.deepEqual([await atProcessor(lead), await waiting()], [[], []])
})

for (const [what, end] of [
  ['erased', async (_quoteId: string, lead: string) => void succeeded(await partner.post(`/Customers/${lead}/erase`))],
  [
    'removed',
    async (quoteId: string, lead: string) =>
      void succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] })),
  ],
] as const) {
  test(`a customer whom the processor is first told of while they are ${what} is deleted there`, async () => {
    const { quoteId, lead } = await startHousehold(partner)
    succeeded(await finalise(partner, lead))
    const telling = ['update customers set processor_asked_at = now() where customer_id = $1', lead] as const
    await withDatabase(service, ({ pool }) => whileHeld(pool, telling, () => end(quoteId, lead)))
    assert.deepEqual(await waiting(), [{ id: lead }])
  })
}

test('removing a tenant from the quote also deletes the tenant at the processor', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
  assert.equal((await atProcessor(lead)).length, 1)
  await sweep()
  assert.deepEqual([await atProcessor(lead), await waiting()], [[], []])
})

test('a customer that the processor does not find is considered not to exist after several searches', async () => {
  const { lead } = await startHousehold(partner)
  await rawRows(
    service,
    `insert into processor_deletions (customer_id, partner_id) select customer_id, partner_id from customers
     where customer_id = $1`,
    [lead],
  )
  for (let round = 1; round < 6; round += 1) {
    assert.deepEqual(await sweep(), { claimed: 1, deleted: 0, failures: [] })
    assert.deepEqual(await waiting(), [{ id: lead }])
  }
  assert.deepEqual(await sweep(), { claimed: 1, deleted: 1, failures: [] })
})

test('a customer already deleted at the processor counts as deleted', async () => {
  assert.equal(await paymentProcessor.deleteCustomer({ customerId: 'tenant_x', processorCustomerId: 'cus_gone' }), true)
})
