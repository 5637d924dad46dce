import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import Stripe from 'stripe'
import { DomainError } from '../../platform/kernel/errors.ts'
import { readStripeNotice } from './stripe-notice.ts'

const webhookSecret = 'whsec_test_secret'
const sentAt = new Date('2026-11-20T10:00:00Z')
const sign = (body: string, at = sentAt, secret = webhookSecret) => {
  const t = at.getTime() / 1000
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}
const read = (body: string, header: string | undefined = sign(body), receivedAt = sentAt) =>
  readStripeNotice(Buffer.from(body), header, { webhooks: Stripe.webhooks, webhookSecret, receivedAt })
const isInvalidRequest = (error: unknown) => error instanceof DomainError && error.code === 'invalid_request'

const intent = { id: 'seti_1', object: 'setup_intent', customer: 'cus_1', status: 'succeeded', last_setup_error: null }
const happenedAt = 1_796_119_200
const event = (type: string, object: object) =>
  JSON.stringify({ id: 'evt_1', type, created: happenedAt, data: { object } })
const occurredAt = new Date(happenedAt * 1_000)

test('the published test vector is accepted', () => {
  const header = 't=1614265330,v1=a0c2bc22351f3f1caf222e3f1f2b7100c48abefec2ad8640ddda279bb6d81c43'
  const notice = read('{"id":"evt_test_webhook"}', header, new Date(1_614_265_330_000))
  assert.deepEqual(notice, { kind: 'other', noticeId: 'evt_test_webhook', type: 'unknown' })
})

for (const [what, header] of [
  ['no signature', ''],
  ['a malformed header', 'garbage'],
  ['no signature with the known scheme', `t=${sentAt.getTime() / 1000},v0=00`],
  ['an empty signature', `t=${sentAt.getTime() / 1000},v1=`],
  ['a signature made with a different secret', sign('{"id":"evt_1"}', sentAt, 'whsec_other')],
  ['a signature for a different body', sign('{"id":"evt_2"}')],
  ['a changed time', sign('{"id":"evt_1"}').replace(/t=\d+/, `t=${sentAt.getTime() / 1000 + 1}`)],
] as const) {
  test(`a notice with ${what} is rejected`, () => {
    assert.throws(() => read('{"id":"evt_1"}', header), isInvalidRequest)
  })
}

test('a notice without the signature header is rejected', () => {
  assert.throws(
    () =>
      readStripeNotice(Buffer.from('{"id":"evt_1"}'), undefined, {
        webhooks: Stripe.webhooks,
        webhookSecret,
        receivedAt: sentAt,
      }),
    isInvalidRequest,
  )
})

test('a signature is only accepted for five minutes', () => {
  const body = '{"id":"evt_1"}'
  assert.equal(read(body, sign(body), new Date(sentAt.getTime() + 300_000)).noticeId, 'evt_1')
  assert.throws(() => read(body, sign(body), new Date(sentAt.getTime() + 301_000)), isInvalidRequest)
})

test('one valid signature among several is enough, as during a secret rotation', () => {
  const body = '{"id":"evt_1"}'
  const [time, right] = sign(body).split(',')
  assert.equal(read(body, `${time},v1=${'0'.repeat(64)},${right}`).noticeId, 'evt_1')
})

for (const body of ['not json', '[]', 'null', '{}', '{"id":7}', '']) {
  test(`a signed body that is not an event is rejected: ${body || '(empty)'}`, () => {
    assert.throws(() => read(body), isInvalidRequest)
  })
}

test('neither an error nor its cause quotes anything from the body', () => {
  assert.throws(
    () => read(event('setup_intent.succeeded', { client_secret: 'hidden' }), 't=1,v1=00'),
    (error) =>
      error instanceof DomainError &&
      !`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`.includes('hidden'),
  )
})

for (const [type, status, lastSetupError, lastAttemptFailed] of [
  ['setup_intent.succeeded', 'succeeded', null, false],
  ['setup_intent.setup_failed', 'requires_payment_method', { code: 'card_declined' }, true],
  ['setup_intent.requires_action', 'requires_action', null, false],
  ['setup_intent.canceled', 'canceled', { code: 'card_declined' }, false],
] as const) {
  test(`reading a ${type} notice returns the state of the intent`, () => {
    const notice = read(
      event(type, { ...intent, status, last_setup_error: lastSetupError, latest_attempt: 'setatt_1' }),
    )
    const expected = {
      setupIntentId: 'seti_1',
      processorCustomerId: 'cus_1',
      status,
      lastAttemptFailed,
      error: lastAttemptFailed ? 'card_declined' : null,
      latestAttempt: 'setatt_1',
    }
    assert.deepEqual(notice, { kind: 'setup-intent', noticeId: 'evt_1', occurredAt, intent: expected })
  })
}

for (const [type, outcome] of [
  ['payment_intent.succeeded', 'paid'],
  ['payment_intent.payment_failed', 'failed'],
  ['payment_intent.failed', 'failed'],
] as const) {
  test(`${type} for a customer reports a collection as ${outcome}`, () => {
    const payment = {
      id: 'pi_1',
      customer: 'cus_1',
      currency: 'gbp',
      amount: 5_882,
      amount_received: 5_882,
      latest_charge: 'ch_1',
      last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds' },
    }
    const collection = {
      kind: 'collection',
      noticeId: 'evt_1',
      occurredAt,
      processorCustomerId: 'cus_1',
      outcome,
      paymentId: 'pi_1',
      reportId: 'ch_1',
      amount: 5_882,
      error: outcome === 'failed' ? 'insufficient_funds' : null,
      entryId: null,
    }
    assert.deepEqual(read(event(type, payment)), collection)
    assert.deepEqual(read(event(type, { ...payment, customer: { id: 'cus_1', object: 'customer' } })), collection)
    assert.deepEqual(
      read(event(type, { ...payment, latest_charge: { id: 'ch_1' }, metadata: { housebill_entry_id: 'entry_1' } })),
      {
        ...collection,
        entryId: 'entry_1',
      },
    )
    const other = { ...payment, currency: 'eur', latest_charge: null }
    assert.deepEqual(read(event(type, other)), {
      ...collection,
      reportId: `pi_1:${outcome}:${occurredAt.getTime() / 1000}`,
      amount: null,
    })
  })
}

const reversal = { kind: 'reversal', noticeId: 'evt_1', occurredAt, paymentId: 'pi_1' }

test('a refunded charge reports how much of it was refunded in total, which may come again after a refund has failed', () => {
  const charge = { id: 'ch_1', payment_intent: 'pi_1', currency: 'gbp', amount: 5_882, amount_refunded: 1_000 }
  assert.deepEqual(read(event('charge.refunded', charge)), {
    ...reversal,
    outcome: 'refunded',
    subjectId: null,
    reportId: `ch_1:1000:${occurredAt.getTime() / 1_000}`,
    amount: 1_000,
  })
})

for (const [type, status, outcome, reportId] of [
  ['refund.created', 'succeeded', 'refunded', 're_1'],
  ['refund.created', 'pending', 'refunded', 're_1'],
  ['refund.updated', 'succeeded', 'refunded', 're_1'],
  ['refund.failed', 'failed', 'refund_failed', 're_1:failed'],
  ['refund.updated', 'failed', 'refund_failed', 're_1:failed'],
  ['charge.refund.updated', 'canceled', 'refund_failed', 're_1:failed'],
] as const) {
  test(`${type} with the status ${status} reports one refund as ${outcome}`, () => {
    const refund = { id: 're_1', object: 'refund', payment_intent: 'pi_1', currency: 'gbp', amount: 700, status }
    const expected = { ...reversal, outcome, subjectId: 're_1', reportId, amount: 700 }
    assert.deepEqual(read(event(type, refund)), expected)
  })
}

const [withdrawn, reinstated] = [{ amount: -5_882 }, { amount: 5_882 }]
for (const [type, status, outcome, changes] of [
  ['created', 'needs_response', 'disputed', {}],
  ['funds_withdrawn', 'needs_response', 'disputed', {}],
  ['funds_reinstated', 'won', 'dispute_won', {}],
  ['closed', 'won', 'dispute_won', {}],
  ['closed', 'lost', 'dispute_lost', {}],
  ['updated', 'under_review', 'disputed', {}],
  ['funds_reinstated', 'lost', 'dispute_lost', {}],
  ['funds_reinstated', 'under_review', 'disputed', {}],
  ['funds_withdrawn', 'warning_needs_response', 'disputed', {}],
  ['funds_reinstated', 'warning_closed', 'dispute_won', {}],
  ['created', 'prevented', 'dispute_won', { balance_transactions: [] }],
  ['funds_withdrawn', 'prevented', 'dispute_lost', { balance_transactions: [] }],
  ['closed', 'prevented', 'dispute_lost', { balance_transactions: [withdrawn] }],
  ['closed', 'prevented', 'dispute_won', { balance_transactions: [withdrawn, reinstated] }],
  ['closed', 'arbitrated', 'disputed', {}],
  ['created', 'In Arbitration\n', 'disputed', {}],
] as const) {
  test(`charge.dispute.${type} with the status ${JSON.stringify(status)} reports a dispute as ${outcome}`, () => {
    const about = { id: 'dp_1', charge: 'ch_1', payment_intent: { id: 'pi_1' } }
    const dispute = { ...about, currency: 'gbp', amount: 5_882, status, ...changes }
    const isOpened = type === 'created' && outcome === 'disputed'
    const reportId = isOpened ? 'dp_1' : `dp_1:${outcome}:${occurredAt.getTime() / 1_000}`
    const unknown = { arbitrated: 'arbitrated', 'In Arbitration\n': 'unreadable' } as Record<string, string>
    const unknownStatus = unknown[status] === undefined ? {} : { unknownStatus: unknown[status] }
    const expected = { ...reversal, outcome, subjectId: 'dp_1', reportId, amount: 5_882, ...unknownStatus }
    assert.deepEqual(read(event(`charge.dispute.${type}`, dispute)), expected)
  })
}

for (const [what, type, object] of [
  ['a refund of a charge without a payment', 'charge.refunded', { id: 'ch_1', payment_intent: null }],
  ['an inquiry', 'charge.dispute.created', { id: 'dp_1', payment_intent: 'pi_1', status: 'warning_needs_response' }],
  ['a closed inquiry', 'charge.dispute.closed', { id: 'dp_1', payment_intent: 'pi_1', status: 'warning_closed' }],
  ['an event type we ignore', 'setup_intent.created', intent],
  ['an intent without a customer', 'setup_intent.succeeded', { ...intent, customer: null }],
  ['a payment without a customer', 'payment_intent.succeeded', { id: 'pi_1', customer: null }],
] as const) {
  test(`${what} becomes a notice of the kind "other"`, () => {
    assert.deepEqual(read(event(type, object)), { kind: 'other', noticeId: 'evt_1', type })
  })
}

for (const [error, code] of [
  [{ code: 'card_declined', decline_code: 'insufficient_funds' }, 'insufficient_funds'],
  [{ code: 'card_declined', decline_code: 'lost_card' }, 'card_declined'],
  [{ code: 'card_declined', decline_code: 'stolen_card' }, 'card_declined'],
  [{ code: 'expired_card' }, 'expired_card'],
  [{ code: 'incorrect_cvc', decline_code: 'incorrect_cvc' }, 'incorrect_cvc'],
  [{ code: 'setup_intent_authentication_failure' }, 'authentication_failed'],
  [{ code: 'new_code', decline_code: 'new_reason' }, 'card_declined'],
] as const) {
  test(`a card declined with ${JSON.stringify(error)} shows the tenant ${code}`, () => {
    const notice = read(
      event('setup_intent.setup_failed', { ...intent, status: 'requires_payment_method', last_setup_error: error }),
    )
    assert.equal(notice.kind === 'setup-intent' ? notice.intent.error : undefined, code)
  })
}

test('reading an intent with an undocumented status throws an error', () => {
  assert.throws(() => read(event('setup_intent.succeeded', { ...intent, status: 'new_status' })), /undocumented status/)
})

const payment = {
  id: 'pi_1',
  customer: 'cus_1',
  currency: 'gbp',
  amount: 700,
  amount_received: 700,
  latest_charge: 'ch_1',
}
for (const [what, type, changes, created] of [
  ['a negative amount', 'payment_intent.succeeded', { amount_received: -700 }, happenedAt],
  ['an amount with a fraction', 'payment_intent.succeeded', { amount_received: 0.5 }, happenedAt],
  ['an amount that no number can hold exactly', 'payment_intent.succeeded', { amount_received: 1e300 }, happenedAt],
  ['a negative refund', 'charge.refunded', { payment_intent: 'pi_1', amount_refunded: -1 }, happenedAt],
  ['a NUL in its id', 'payment_intent.succeeded', { id: 'pi_\u0000' }, happenedAt],
  ['a NUL in its customer', 'setup_intent.succeeded', { ...intent, customer: 'cus_\u0000' }, happenedAt],
  ['a NUL in its charge', 'payment_intent.payment_failed', { latest_charge: 'ch_\u0000' }, happenedAt],
  ['a NUL in its entry', 'payment_intent.succeeded', { metadata: { housebill_entry_id: '\u0000' } }, happenedAt],
  ['an endless id', 'charge.dispute.created', { id: 'd'.repeat(300), payment_intent: 'pi_1' }, happenedAt],
  ['a time that is no date', 'payment_intent.succeeded', {}, 1e14],
  ['a time after the year 9999', 'setup_intent.succeeded', intent, 1e12],
  ['a negative time', 'charge.refunded', { payment_intent: 'pi_1', amount_refunded: 1 }, -1],
] as const) {
  test(`a notice with ${what} is accepted and ignored`, () => {
    const body = JSON.stringify({ id: 'evt_1', type, created, data: { object: { ...payment, ...changes } } })
    assert.deepEqual(read(body), { kind: 'other', noticeId: 'evt_1', type })
  })
}
