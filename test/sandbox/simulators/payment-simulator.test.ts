import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testCards } from '../../../src/payments/test-cards.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import { fingerprintOf } from '../../../src/sandbox/simulators/payment-processor/card-attempt.ts'
import { publishableKeyOf } from '../../../src/sandbox/simulators/payment-processor/protocol/credentials.ts'
import {
  callSimulator,
  openIntent,
  openTestDatabase,
  secretKey,
  startSimulator,
} from '../../payments/payment-simulator-fixture.ts'

const publishableKey = publishableKeyOf(secretKey)
const nextYear = String(new Date().getUTCFullYear() + 1)

const cardForm = (number: string, card: Record<string, string> = {}) => {
  const typed = { number, exp_month: '12', exp_year: nextYear, cvc: number.startsWith('37') ? '1234' : '123', ...card }
  return {
    'payment_method_data[type]': 'card',
    ...Object.fromEntries(
      Object.entries(typed).map(([field, value]) => [`payment_method_data[card][${field}]`, value]),
    ),
  }
}

describe('the payment processor simulator', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  const start = async (t: Parameters<typeof startSimulator>[0]) => {
    const simulator = await startSimulator(t, db)
    const { setupIntentId: id, clientSecret } = await openIntent(simulator.processor)
    /** Confirms an intent as a browser does, with the publishable key and the client secret. */
    const confirm = (form: Record<string, string>, headers: Record<string, string> = {}) =>
      callSimulator(simulator.apiBase, `/v1/setup_intents/${id}/confirm`, {
        key: publishableKey,
        form: { client_secret: clientSecret, ...form },
        headers,
      })
    const verify = (outcome: string) =>
      callSimulator(simulator.apiBase, `/v1/setup_intents/${id}/verify`, {
        key: publishableKey,
        form: { client_secret: clientSecret, outcome },
      })
    return { ...simulator, id, clientSecret, confirm, verify }
  }

  test('a test card has the same outcome whether it is given by number or by name', async (t) => {
    const { processor, apiBase } = await startSimulator(t, db)
    for (const card of testCards) {
      const responses = []
      for (const form of [cardForm(card.number), { payment_method: card.names[0] }]) {
        const { setupIntentId, clientSecret } = await openIntent(processor)
        const path = `/v1/setup_intents/${setupIntentId}/confirm`
        const { status, body } = await callSimulator(apiBase, path, {
          key: publishableKey,
          form: { client_secret: clientSecret, ...form },
        })
        responses.push([
          status,
          body.status ?? body.error?.setup_intent?.status,
          body.error?.code,
          body.error?.decline_code,
        ])
      }
      assert.deepEqual(responses[0], responses[1], card.number)
      const expected = {
        attaches: [200, 'succeeded'],
        declined: [402, 'requires_payment_method'],
        'asks-authentication': [200, 'requires_action'],
      }
      assert.deepEqual(responses[0]?.slice(0, 2), expected[card.outcome.kind], card.number)
    }
  })

  for (const [what, form, code] of [
    ['a number with a wrong check digit', cardForm('4242424242424241'), 'incorrect_number'],
    ['a number that is too short', cardForm('4242'), 'incorrect_number'],
    ['an invalid month', cardForm('4242424242424242', { exp_month: '13' }), 'invalid_expiry_month'],
    ['a year that has passed', cardForm('4242424242424242', { exp_year: '2020' }), 'invalid_expiry_year'],
    ['an invalid year', cardForm('4242424242424242', { exp_year: 'soon' }), 'invalid_expiry_year'],
    ['a security code of two digits', cardForm('4242424242424242', { cvc: '12' }), 'invalid_cvc'],
    ['a Visa code on an American Express card', cardForm('378282246310005', { cvc: '123' }), 'invalid_cvc'],
  ] as const) {
    test(`${what} is rejected before any other check`, async (t) => {
      const { confirm, processor, id } = await start(t)
      const { status, body } = await confirm(form)
      assert.equal(status, 402)
      assert.equal(body.error?.type, 'card_error')
      assert.equal(body.error?.code, code)
      const { status: after, lastAttemptFailed } = await processor.readSetupIntent(id)
      assert.deepEqual({ after, lastAttemptFailed }, { after: 'requires_payment_method', lastAttemptFailed: false })
    })
  }

  test('a card that is not a test card is declined with that reason, and its number is neither stored nor logged', async (t) => {
    const { confirm, logged } = await start(t)
    const { status, body } = await confirm(cardForm('4929000123456782'), { 'idempotency-key': 'a-real-looking-card' })
    assert.equal(status, 402)
    assert.equal(body.error?.decline_code, 'test_mode_live_card')
    assert.match(body.error?.message ?? '', /only test cards/)
    const { rows } = await db.pool.query<{ text: string }>(
      `select (select string_agg(i::text, ' ') from simulated_processor.setup_intents i) ||
              (select string_agg(a::text, ' ') from simulated_processor.idempotent_responses a) as text`,
    )
    assert.ok(!`${rows[0]?.text}${logged.join('')}${JSON.stringify(body)}`.includes('3456782'))
  })

  test('the processor keeps only the last four digits of the number of a declined card', async (t) => {
    const { confirm } = await start(t)
    const { body } = await confirm(cardForm('4000000000009995'))
    const error = body.error?.setup_intent?.last_setup_error as { payment_method: { card: object } }
    assert.deepEqual(error.payment_method.card, {
      brand: 'visa',
      last4: '9995',
      fingerprint: fingerprintOf('4000000000009995'),
      exp_month: 12,
      exp_year: Number(nextYear),
    })
    assert.ok(!JSON.stringify(body).includes('400000'))
  })

  test('an authenticated card is attached; after a failed authentication, the intent needs a card again', async (t) => {
    const first = await start(t)
    const asked = await first.confirm(cardForm('4000002500003155'))
    assert.equal((asked.body.next_action as { type: string }).type, 'use_stripe_sdk')
    const failed = await first.verify('failed')
    assert.deepEqual([failed.status, failed.body.status], [200, 'requires_payment_method'])
    assert.equal((failed.body.last_setup_error as { code: string }).code, 'setup_intent_authentication_failure')
    assert.equal((await first.verify('authenticated')).body.error?.code, 'setup_intent_unexpected_state')
    await first.confirm(cardForm('4000002500003155'))
    assert.equal((await first.verify('authenticated')).body.status, 'succeeded')
  })

  test('if a card is declined after authentication, the intent needs a new card', async (t) => {
    const { confirm, verify } = await start(t)
    await confirm(cardForm('4000008400001629'))
    const { body } = await verify('authenticated')
    assert.equal(body.status, 'requires_payment_method')
    assert.equal((body.last_setup_error as { code: string }).code, 'card_declined')
  })

  test('reusing a key for a different request is an idempotency error; the same request returns the first response, even a decline', async (t) => {
    const { confirm, verify } = await start(t)
    const headers = { 'idempotency-key': `confirm-${Date.now()}` }
    const declined = await confirm(cardForm('4000000000000002'), headers)
    const replayed = await confirm(cardForm('4000000000000002'), headers)
    assert.deepEqual([replayed.status, replayed.body], [402, declined.body])
    assert.equal(declined.headers.get('idempotent-replayed'), null)
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
    const other = await confirm(cardForm('4242424242424242'), headers)
    assert.deepEqual([other.status, other.body.error?.type], [400, 'idempotency_error'])
    assert.equal((await verify('authenticated')).body.error?.code, 'setup_intent_unexpected_state')
  })

  test('a browser can read an intent only with its client secret and without the customer, and can neither create nor cancel intents', async (t) => {
    const { apiBase, id, clientSecret } = await start(t)
    const get = (query: string) => callSimulator(apiBase, `/v1/setup_intents/${id}${query}`, { key: publishableKey })
    const seen = await get(`?client_secret=${clientSecret}`)
    assert.deepEqual(
      [seen.status, seen.body.client_secret, 'customer' in seen.body, 'metadata' in seen.body],
      [200, clientSecret, false, false],
    )
    assert.equal((await get('')).status, 404)
    assert.equal((await get(`?client_secret=${id}_secret_other`)).status, 404)
    for (const path of ['/v1/setup_intents', '/v1/customers', `/v1/setup_intents/${id}/cancel`]) {
      const { status, body } = await callSimulator(apiBase, path, { key: publishableKey, form: {} })
      assert.deepEqual([status, body.error?.code], [401, 'secret_key_required'])
    }
  })

  test('a call with no key or a wrong one returns 401, and the response does not repeat the key', async (t) => {
    const { apiBase } = await startSimulator(t, db)
    for (const key of [undefined, 'sk_test_wrong']) {
      const { status, body } = await callSimulator(apiBase, '/v1/customers/cus_1', key === undefined ? {} : { key })
      assert.equal(status, 401)
      assert.ok(!JSON.stringify(body).includes('sk_test'))
    }
  })

  for (const [what, form, headers, code] of [
    ['an unknown parameter', { colour: 'red' }, {}, 'parameter_unknown'],
    ['an unknown customer', { customer: 'cus_missing' }, {}, 'resource_missing'],
    [
      'a parameter that the API version no longer has',
      { 'payment_method_types[0]': 'card' },
      { 'stripe-version': '2026-10-28.endive' },
      'payment_method_types_no_longer_supported',
    ],
  ] as const) {
    test(`an intent with ${what} is rejected with the processor's error`, async (t) => {
      const { apiBase } = await startSimulator(t, db)
      const { status, body } = await callSimulator(apiBase, '/v1/setup_intents', { key: secretKey, form, headers })
      assert.deepEqual([status, body.error?.type, body.error?.code], [400, 'invalid_request_error', code])
    })
  }

  test('a confirmation is rejected if it has no card, gives the card in two ways, or gives a card number in place of a name', async (t) => {
    const { confirm } = await start(t)
    assert.equal((await confirm({})).body.error?.code, 'setup_intent_unexpected_state')
    assert.equal((await confirm({ payment_method: 'pm_card_visa', ...cardForm('4242424242424242') })).status, 400)
    const asName = await confirm({ payment_method: '4242424242424242' })
    assert.equal(asName.body.error?.code, 'resource_missing')
    assert.ok(!asName.body.error?.message.includes('4242'))
  })

  test('an unknown path, a malformed body and an invalid simulator setting return errors in the wire format', async (t) => {
    const { apiBase } = await startSimulator(t, db)
    const unknown = await callSimulator(apiBase, '/v1/charges?x=1', { key: secretKey })
    assert.deepEqual(
      [unknown.status, unknown.body.error?.message],
      [404, 'Unrecognized request URL (GET: /v1/charges).'],
    )
    const unreadable = await callSimulator(apiBase, '/v1/customers', { key: secretKey, form: { 'a[b': '1' } })
    assert.deepEqual([unreadable.status, unreadable.body.error?.type], [400, 'invalid_request_error'])
    const steer = (form: Record<string, string>, key = secretKey) =>
      callSimulator(apiBase, '/control/steering/partner_1', { key, form })
    for (const form of [{ copies: '2' }, { lost: 'maybe' }, { delay_seconds: '601' }])
      assert.deepEqual([(await steer(form)).status, form], [400, form])
    assert.equal((await steer({ down: 'true' }, publishableKey)).status, 401)
  })
})
