import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, paymentStatus, quoteStatus, startHousehold, startPaymentSetup } from '../support/household.ts'
import { waitForLockWaiters } from '../support/lock-waiters.ts'
import { withDatabase } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'

// The processor's notices never arrive here. The service knows only what the test sends and what it fetches itself.
const processor = await startServiceWithProcessor()
const { service, requests } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const accept = (customerId: string) => partner.post(`/Customers/${customerId}/accept-terms`)
async function createCustomerWithIntent() {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  const { setupIntentId } = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  return { quoteId, lead, setupIntentId }
}

test('the terms are not accepted until the 3-D Secure step has passed; if it fails, a new card is needed', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  assert.equal((await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')).status, 'requires_action')
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
  assert.equal((await processor.authenticate(setupIntentId, 'failed')).status, 'requires_payment_method')
  rejected(await accept(lead), 422, 'payment_setup_incomplete')
  await processor.confirm(setupIntentId, 'pm_card_authenticationRequired')
  assert.equal((await processor.authenticate(setupIntentId, 'authenticated')).status, 'succeeded')
  succeeded(await accept(lead))
})

test('accept-terms returns 503 and stores nothing if it must call the processor and the processor is down', async () => {
  const { quoteId, lead, setupIntentId } = await createCustomerWithIntent()
  await processor.confirm(setupIntentId)
  processor.setMode('unreachable')
  const response = await accept(lead)
  processor.setMode('up')
  rejected(response, 503, 'service_unavailable')
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).status, 'PersonalInfoComplete')
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  assert.deepEqual(await rawRows(service, 'select from contract_documents where customer_id = $1', [lead]), [])
  succeeded(await accept(lead))
})

test('accept-terms does not call the processor if the notice has arrived or the terms are already accepted', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const notice = await processor.notify('setup_intent.succeeded', await processor.confirm(setupIntentId))
  assert.equal(notice.status, 200)
  requests.length = 0
  processor.setMode('unreachable')
  const first = await accept(lead)
  const again = await accept(lead)
  processor.setMode('up')
  assert.equal(succeeded(first) && first.text, again.text)
  assert.deepEqual(requests, [])
})

test('the terms can still be accepted after a collection from the attached card has failed', async () => {
  const { lead, setupIntentId } = await createCustomerWithIntent()
  const intent = await processor.confirm(setupIntentId)
  await processor.notify('setup_intent.succeeded', intent)
  await processor.notify('payment_intent.payment_failed', { id: 'pi_1', customer: intent.customer })
  assert.equal(await paymentStatus(partner, lead), 'failed')
  succeeded(await accept(lead))
  assert.equal(await paymentStatus(partner, lead), 'failed')
})

const create = (customerId: string) => partner.post(`/Customers/${customerId}/create-setup-intent`)
async function readyHousehold() {
  const household = await startHousehold(partner)
  succeeded(await finalise(partner, household.lead))
  return household
}
const made = (operation: string) => requests.filter((request) => request.operation === operation)

beforeEach(() => {
  requests.length = 0
  processor.setMode('up')
})

test('the first intent tells the processor only who the customer is and that the card is for later payments', async () => {
  const { quoteId, lead } = await readyHousehold()
  const { setupIntentId, processorCustomerId } = succeeded(await create(lead))
  const intent = await processor.readIntent(setupIntentId)
  assert.deepEqual(
    [intent.status, intent.customer, intent.usage],
    ['requires_payment_method', processorCustomerId, 'off_session'],
  )
  const { housebill_customer_id, housebill_quote_id, housebill_partner_id = '' } = intent.metadata
  assert.deepEqual([housebill_customer_id, housebill_quote_id], [lead, quoteId])
  assert.match(housebill_partner_id, /^partner_/)
  const [customer] = made('POST /v1/customers')
  assert.deepEqual([customer?.form.get('name'), customer?.form.get('email')], ['Alex Morgan', `${lead}@example.com`])
  const [asked] = made('POST /v1/setup_intents')
  assert.equal(asked?.form.get('allowed_payment_method_types[0]'), 'card')
  const sent = requests.map(({ form }) => form.toString()).join()
  for (const private_ of ['1999-05-17', '7700900', 'NR4']) assert.equal(sent.includes(private_), false, private_)
})

test('create-setup-intent returns 503 with Retry-After and changes nothing if the processor is unreachable or fails', async () => {
  const { quoteId, lead } = await readyHousehold()
  for (const mode of ['unreachable', 'failing'] as const) {
    processor.setMode(mode)
    const response = await create(lead)
    rejected(response, 503, 'service_unavailable')
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(await paymentStatus(partner, lead), 'not_started')
    assert.equal(await quoteStatus(partner, quoteId), 'TenantsAdded')
  }
  assert.deepEqual(await rawRows(service, 'select from setup_intents where customer_id = $1', [lead]), [])
  processor.setMode('up')
  succeeded(await create(lead))
})

test("create-setup-intent finds the same customer and intent with the same keys if the processor's responses were lost", async () => {
  const { lead } = await readyHousehold()
  processor.setMode('losing responses')
  rejected(await create(lead), 503, 'service_unavailable')
  processor.setMode('up')
  const { setupIntentId, processorCustomerId } = succeeded(await create(lead))
  const keys = made('POST /v1/customers').map(({ idempotencyKey }) => idempotencyKey)
  assert.ok(keys.length >= 2)
  assert.deepEqual([...new Set(keys)], [`housebill:customer:${lead}`])
  const customers = await rawRows(
    service,
    `select id from simulated_processor.customers where object #>> '{metadata,housebill_customer_id}' = $1`,
    [lead],
  )
  assert.deepEqual(customers, [{ id: processorCustomerId }])
  assert.equal((await processor.readIntent(setupIntentId)).customer, processorCustomerId)
})

test('create-setup-intent uses the same keys and creates no second intent when retried after it died between call and commit', async () => {
  const { quoteId, lead } = await readyHousehold()
  await withDatabase(service, async (db) => {
    const holder = await db.pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from quotes where quote_id = $1 for update', [quoteId])
      let isOver = false
      const dying = create(lead).finally(() => {
        isOver = true
      })
      // The intent exists, and the transaction is waiting for the lock on the quote. Now cut the transaction's
      // connection, as a crash would. Find the connection by its locks, because pg_stat_activity does not change within
      // a transaction.
      for (let cut = 0; cut === 0 && !isOver; await sleep(5)) {
        const { rowCount } = await holder.query(
          `select pg_terminate_backend(pid) from pg_locks where not granted
           and pg_backend_pid() = any(pg_blocking_pids(pid))`,
        )
        cut = rowCount ?? 0
      }
      await holder.query('rollback')
      rejected(await dying, 503, 'service_unavailable')
    } finally {
      holder.release()
    }
  })
  assert.equal(await paymentStatus(partner, lead), 'not_started')
  assert.equal(await quoteStatus(partner, quoteId), 'TenantsAdded')
  const { setupIntentId } = succeeded(await create(lead))
  assert.deepEqual(
    made('POST /v1/setup_intents').map(({ idempotencyKey }) => idempotencyKey),
    [`housebill:setup-intent:${lead}:1`, `housebill:setup-intent:${lead}:1`],
  )
  const intents = await rawRows(
    service,
    `select id from simulated_processor.setup_intents where object #>> '{metadata,housebill_customer_id}' = $1`,
    [lead],
  )
  assert.deepEqual(intents, [{ id: setupIntentId }])
})

for (const [what, change, status, code] of [
  ['erased', 'update customers set erased_at = now() where customer_id = $1', 422, 'customer_erased'],
  ['removed', 'delete from customers where customer_id = $1', 404, 'not_found'],
] as const) {
  test(`create-setup-intent returns ${code} and tells the processor nothing if the customer is ${what} meanwhile`, async () => {
    const { lead } = await readyHousehold()
    await withDatabase(service, async (db) => {
      const holder = await db.pool.connect()
      try {
        await holder.query('begin')
        await holder.query(change, [lead])
        const answer = create(lead)
        await waitForLockWaiters(holder, 1)
        await holder.query('commit')
        rejected(await answer, status, code)
      } finally {
        holder.release()
      }
    })
    assert.deepEqual(requests, [])
  })
}

test('a setup intent that was cancelled at the processor is replaced by a new one with a new idempotency key', async () => {
  const { lead } = await readyHousehold()
  const first = succeeded(await create(lead))
  await processor.cancel(first.setupIntentId)
  const second = succeeded(await create(lead))
  assert.notEqual(second.setupIntentId, first.setupIntentId)
  assert.equal(second.processorCustomerId, first.processorCustomerId)
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.deepEqual(
    made('POST /v1/setup_intents').map(({ idempotencyKey }) => idempotencyKey),
    [`housebill:setup-intent:${lead}:1`, `housebill:setup-intent:${lead}:2`],
  )
  assert.equal(made('POST /v1/customers').length, 1)
  assert.equal(succeeded(await create(lead)).setupIntentId, second.setupIntentId)
})

test('create-setup-intent updates paymentStatus when called again after the card page failed or succeeded', async () => {
  const { lead } = await readyHousehold()
  const { setupIntentId } = succeeded(await create(lead))
  await processor.confirm(setupIntentId, 'pm_card_chargeDeclined')
  assert.equal(await paymentStatus(partner, lead), 'setup_started')
  assert.equal(succeeded(await create(lead)).setupIntentId, setupIntentId)
  assert.equal(await paymentStatus(partner, lead), 'setup_failed')
  await processor.confirm(setupIntentId, 'pm_card_visa')
  assert.equal(succeeded(await create(lead)).setupIntentId, setupIntentId)
  assert.equal(await paymentStatus(partner, lead), 'ready')
})

test('a customer whose details change after a lost response is updated at the processor and not created twice', async () => {
  const { lead } = await readyHousehold()
  processor.setMode('losing responses')
  rejected(await create(lead), 503, 'service_unavailable')
  processor.setMode('up')
  succeeded(await finalise(partner, lead, { firstName: 'Alexandra', email: 'alexandra@example.com' }))
  succeeded(await create(lead))
  const customers = await rawRows(
    service,
    `select id from simulated_processor.customers where object #>> '{metadata,housebill_customer_id}' = $1`,
    [lead],
  )
  assert.equal(customers.length, 1)
  const [renamed] = requests.filter(({ operation }) => operation === `POST /v1/customers/${customers[0]?.id}`)
  assert.equal(renamed?.form.get('name'), 'Alexandra Morgan')
})

test('create-setup-intent returns 422 customer_details_refused for an email address that the processor rejects, until it is corrected', async () => {
  const { lead } = await readyHousehold()
  succeeded(await partner.patch(`/Customers/${lead}`, { email: 'alex+email-refused@example.com' }))
  const problem = rejected(await create(lead), 422, 'customer_details_refused')
  assert.deepEqual(invalidFields(problem), [['/email', 'customer_details_refused']])
  assert.equal(await paymentStatus(partner, lead), 'not_started')
  succeeded(await partner.patch(`/Customers/${lead}`, { email: 'alex.morgan@example.com' }))
  succeeded(await create(lead))
})

test('create-setup-intent returns 503 that names the operator if the processor rejects what the operator set up', async () => {
  const { lead } = await readyHousehold()
  succeeded(await partner.patch(`/Customers/${lead}`, { email: 'alex+account-refused@example.com' }))
  const response = await create(lead)
  assert.match(rejected(response, 503, 'service_unavailable').detail, /Report the requestId to the operator/)
  assert.equal(response.headers.get('retry-after'), '300')
})

test('a slow call does not undo the effect of a retry that overtook it, even after a card was attached', async () => {
  const { lead } = await readyHousehold()
  const slow = processor.holdNext('POST /v1/setup_intents')
  const first = create(lead)
  await slow.arrived
  const { setupIntentId } = succeeded(await create(lead))
  await processor.notify('setup_intent.succeeded', await processor.confirm(setupIntentId))
  assert.equal(await paymentStatus(partner, lead), 'ready')
  slow.release()
  assert.equal(succeeded(await first).setupIntentId, setupIntentId)
  assert.equal(await paymentStatus(partner, lead), 'ready')
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
})

/**
 * Delays the processor call that cancels this intent until another tenant has started payment setup. Returns the new
 * intent.
 */
async function beginMeanwhile(underWay: string, customerId: string): Promise<string> {
  const { arrived, release } = processor.holdNext(`POST /v1/setup_intents/${underWay}/cancel`)
  await arrived
  const begun = await startPaymentSetup(partner, customerId)
  release()
  return begun
}

for (const operation of ['cancel', 'reopen'] as const) {
  test(`if a tenant starts payment setup at the same time, ${operation} cancels their setup intent too`, async () => {
    const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 2 })
    const [lead = '', other = ''] = tenantIds
    const first = await startPaymentSetup(partner, lead)
    succeeded(await finalise(partner, other))
    const [begun, response] = await Promise.all([
      beginMeanwhile(first, other),
      partner.post(`/Quotes/${quoteId}/${operation}`, undefined, { headers: { 'Idempotency-Key': quoteId } }),
    ])
    assert.equal(succeeded(response).status, operation === 'cancel' ? 'cancelled' : 'TenantsAdded')
    assert.equal((await processor.readIntent(begun)).status, 'canceled')
    for (const customerId of tenantIds)
      assert.equal(succeeded(await partner.get(`/Customers/${customerId}`)).paymentStatus, 'not_started')
  })
}

test('cancel returns 503 and leaves the quote active if tenants keep starting payment setup', async () => {
  const { quoteId, tenants: tenantIds } = await startHousehold(partner, { tenants: 4 })
  const [lead = '', ...others] = tenantIds
  let underWay = await startPaymentSetup(partner, lead)
  const response = partner.post(`/Quotes/${quoteId}/cancel`)
  for (const customerId of others) underWay = await beginMeanwhile(underWay, customerId)
  const answer = await response
  rejected(answer, 503, 'service_unavailable')
  assert.equal(answer.headers.get('retry-after'), '1')
  assert.equal(await quoteStatus(partner, quoteId), 'active')
  assert.equal(succeeded(await partner.post(`/Quotes/${quoteId}/cancel`)).status, 'cancelled')
})
