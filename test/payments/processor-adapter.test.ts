import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { paymentMethodNames } from '../../src/payments/test-cards.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { DomainError, type ErrorCode } from '../../src/platform/kernel/errors.ts'
import { fingerprintOf } from '../../src/sandbox/simulators/payment-processor/card-attempt.ts'
import { inventTenant, openIntent, openTestDatabase, secretKey, startSimulator } from './payment-simulator-fixture.ts'

const rejects = (code: ErrorCode) => (error: unknown) => error instanceof DomainError && error.code === code

describe('card set-up at the payment processor', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  const stored = async <Row>(text: string, values: unknown[] = []) => (await db.pool.query(text, values)).rows as Row[]

  test('a created customer carries the ids of its tenant, quote and partner', async (t) => {
    const { processor } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const { processorCustomerId } = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    assert.match(processorCustomerId, /^cus_[0-9A-Za-z]+$/)
    const [row] = await stored<{ object: { metadata: object } }>(
      'select object from simulated_processor.customers where id = $1',
      [processorCustomerId],
    )
    assert.deepEqual(row?.object.metadata, {
      housebill_customer_id: owners.customerId,
      housebill_quote_id: owners.quoteId,
      housebill_partner_id: owners.partnerId,
    })
  })

  test('repeating a create call with the same key creates neither a second customer nor a second intent', async (t) => {
    const { processor } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const create = () => processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    const customers = await Promise.all([create(), create(), create(), create()])
    const processorCustomerId = customers[0]?.processorCustomerId ?? ''
    assert.deepEqual(new Set(customers.map((customer) => customer.processorCustomerId)), new Set([processorCustomerId]))

    const attach = () =>
      processor.createSetupIntent({ ...owners, processorCustomerId, idempotencyKey: `${key}-intent` })
    const intents = await Promise.all([attach(), attach(), attach()])
    assert.equal(new Set(intents.map((intent) => `${intent.setupIntentId} ${intent.clientSecret}`)).size, 1)
    const [count] = await stored<{ customers: number; intents: number }>(
      `select (select count(*)::int from simulated_processor.customers
       where object -> 'metadata' ->> 'housebill_customer_id' = $1) customers,
              (select count(*)::int from simulated_processor.setup_intents where object ->> 'customer' = $2) intents`,
      [owners.customerId, processorCustomerId],
    )
    assert.deepEqual(count, { customers: 1, intents: 1 })
  })

  test('repeating the creation with corrected details finds the same customer and updates its name and email', async (t) => {
    const { processor, apiBase } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const first = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    const corrected = { name: 'Ada King', email: 'ada.king@example.com' }
    const second = await processor.createCustomer({ ...owners, ...corrected, idempotencyKey: key })
    assert.deepEqual(second, first)
    const response = await fetch(new URL(`/v1/customers/${first.processorCustomerId}`, apiBase), {
      headers: { authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}` },
    })
    const { name, email } = (await response.json()) as { name: string; email: string }
    assert.deepEqual({ name, email }, corrected)
  })

  test('a repeated creation returns the current state of the intent', async (t) => {
    const { processor, confirmation } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const { processorCustomerId } = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    const create = () =>
      processor.createSetupIntent({ ...owners, processorCustomerId, idempotencyKey: `${key}-intent` })
    const opened = await create()
    assert.equal(opened.status, 'requires_payment_method')
    const { latestAttempt } = await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_visa')
    assert.deepEqual(await create(), { ...opened, status: 'succeeded', latestAttempt })
  })

  test('neither client secrets nor personal details can be read in the database', async (t) => {
    const { processor, confirmation, logged } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const { processorCustomerId } = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    const intent = await processor.createSetupIntent({
      ...owners,
      processorCustomerId,
      idempotencyKey: `${key}-intent`,
    })
    await confirmation.confirmSetupIntent(intent.setupIntentId, 'pm_card_chargeDeclined')
    const rows = await stored<{ everything: string }>(
      `select (select string_agg(c::text, ' ') from simulated_processor.customers c) ||
              (select string_agg(i::text, ' ') from simulated_processor.setup_intents i) ||
              (select string_agg(a::text, ' ') from simulated_processor.idempotent_responses a) everything`,
    )
    const everything = (rows[0]?.everything ?? '') + logged.join('')
    assert.ok(everything.includes(intent.setupIntentId))
    for (const secret of [intent.clientSecret, '_secret_', person.email, person.name, '4000000000000002']) {
      assert.ok(!everything.includes(secret), secret)
    }
  })

  test('the card of a succeeded intent can be read, and is made the default of its customer only if requested', async (t) => {
    const { processor, confirmation, apiBase } = await startSimulator(t, db)
    const { setupIntentId, processorCustomerId } = await openIntent(processor)
    assert.equal(await processor.readCard({ setupIntentId, makeDefault: true }), null)
    await confirmation.confirmSetupIntent(setupIntentId, 'pm_card_mastercard')
    const readDefault = async () => {
      const authorization = `Bearer ${secretKey}`
      const reply = await fetch(new URL(`/v1/customers/${processorCustomerId}`, apiBase), {
        headers: { authorization },
      })
      return ((await reply.json()) as { invoice_settings: { default_payment_method: string | null } }).invoice_settings
        .default_payment_method
    }
    const card = await processor.readCard({ setupIntentId, makeDefault: false })
    const { paymentMethodId, ...shown } = card ?? assert.fail('there is a card')
    const expiryYear = new Date().getUTCFullYear() + 3
    const fingerprint = fingerprintOf('5555555555554444')
    assert.deepEqual(shown, { brand: 'mastercard', last4: '4444', expiryMonth: 12, expiryYear, fingerprint })
    assert.equal(await readDefault(), null)
    assert.deepEqual(await processor.readCard({ setupIntentId, makeDefault: true }), card)
    assert.equal(await readDefault(), paymentMethodId)
  })

  test('confirming with an unknown payment method is rejected, and the error lists the known ones', async (t) => {
    const { processor, confirmation } = await startSimulator(t, db)
    const { setupIntentId } = await openIntent(processor)
    await assert.rejects(confirmation.confirmSetupIntent(setupIntentId, 'pm_card_nonsense'), (error) => {
      assert.ok(error instanceof DomainError)
      assert.equal(error.code, 'validation_failed')
      assert.equal(error.fields[0]?.pointer, '/paymentMethod')
      for (const name of paymentMethodNames) assert.ok(error.fields[0]?.detail.includes(name), name)
      return true
    })
  })

  test('cancelling an intent returns its current state, whatever its status and however often the call is repeated', async (t) => {
    const { processor, confirmation } = await startSimulator(t, db)
    const open = await openIntent(processor)
    assert.deepEqual(await processor.cancelSetupIntent(open.setupIntentId), { ...open, status: 'canceled' })
    assert.deepEqual(await processor.cancelSetupIntent(open.setupIntentId), { ...open, status: 'canceled' })
    assert.equal((await confirmation.confirmSetupIntent(open.setupIntentId, 'pm_card_visa')).status, 'canceled')
    const done = await openIntent(processor)
    await confirmation.confirmSetupIntent(done.setupIntentId, 'pm_card_visa')
    assert.equal((await processor.cancelSetupIntent(done.setupIntentId)).status, 'succeeded')
  })

  test('an intent that is cancelled and confirmed at the same time is either cancelled or succeeded, and both calls agree', async (t) => {
    const { processor, confirmation } = await startSimulator(t, db)
    for (let round = 0; round < 5; round += 1) {
      const { setupIntentId } = await openIntent(processor)
      const [cancelled, confirmed] = await Promise.all([
        processor.cancelSetupIntent(setupIntentId),
        confirmation.confirmSetupIntent(setupIntentId, 'pm_card_visa'),
      ])
      const { status } = await processor.readSetupIntent(setupIntentId)
      assert.ok(status === 'canceled' || status === 'succeeded')
      assert.deepEqual([cancelled.status, confirmed.status], [status, status])
    }
  })

  test('calls for an intent that the processor does not know throw not_found', async (t) => {
    const { processor, confirmation } = await startSimulator(t, db)
    await assert.rejects(processor.readSetupIntent('seti_unknown'), rejects('not_found'))
    await assert.rejects(processor.cancelSetupIntent('seti_unknown'), rejects('not_found'))
    await assert.rejects(confirmation.confirmSetupIntent('seti_unknown', 'pm_card_visa'), rejects('not_found'))
  })

  test('an email address that names a fault makes the call fail in that way and store nothing', async (t) => {
    const { processor } = await startSimulator(t, db)
    const { owners, person, key } = inventTenant()
    const faulty = { ...owners, name: person.name, email: 'ada+processor-down@example.com', idempotencyKey: key }
    await assert.rejects(processor.createCustomer(faulty), rejects('service_unavailable'))
    const { processorCustomerId } = await processor.createCustomer({ ...owners, ...person, idempotencyKey: key })
    assert.match(processorCustomerId, /^cus_/)
  })
})
