import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testCards } from '../../../payments/test-cards.ts'
import { StripeFault } from './protocol/stripe-fault.ts'
import {
  cancelSetupIntent,
  completeAuthentication,
  confirmSetupIntent,
  newSetupIntent,
  type SetupIntentChange,
} from './setup-intent.ts'

type Step = (before: SetupIntentChange) => SetupIntentChange

const steps = fc.oneof(
  fc.constantFrom(...testCards).map(
    (card): Step =>
      ({ intent }) =>
        confirmSetupIntent(intent, { card: null, outcome: card.outcome }),
  ),
  fc.constantFrom('authenticated' as const, 'failed' as const).map(
    (outcome): Step =>
      ({ intent, pending }) =>
        completeAuthentication(intent, pending, outcome),
  ),
  fc.constant<Step>(({ intent }) => cancelSetupIntent(intent, null)),
)

const opened = () =>
  newSetupIntent(
    { customer: 'cus_1', description: null, metadata: {}, usage: 'off_session' },
    new Date('2026-11-20T10:00:00Z'),
  )

test('an intent is in a consistent state after any sequence of steps, and never changes once it has ended', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 12 }), (taken) => {
      let now = opened()
      for (const step of taken) {
        const ended = now.intent.status === 'succeeded' || now.intent.status === 'canceled'
        const after = tryStep(step, now)
        if (after === undefined) continue
        assert.equal(ended, false)
        now = after
        const { status, payment_method, next_action, last_setup_error } = now.intent
        assert.equal(now.pending !== null, status === 'requires_action')
        assert.equal(next_action !== null, status === 'requires_action')
        assert.equal(payment_method !== null, status === 'requires_action' || status === 'succeeded')
        if (status === 'requires_payment_method') assert.notEqual(last_setup_error, null)
        if (status === 'requires_action' || status === 'succeeded') assert.equal(last_setup_error, null)
      }
    }),
  )
})

test('each change carries the event type for its new state', () => {
  const events = {
    requires_payment_method: 'setup_intent.setup_failed',
    requires_action: 'setup_intent.requires_action',
    succeeded: 'setup_intent.succeeded',
    canceled: 'setup_intent.canceled',
  }
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 12 }), (taken) => {
      let now = opened()
      assert.equal(now.event, 'setup_intent.created')
      for (const step of taken) {
        now = tryStep(step, now) ?? now
        if (now.event !== 'setup_intent.created') assert.equal(now.event, events[now.intent.status])
      }
    }),
  )
})

/** The intent after the step; undefined if its state does not allow the step. */
function tryStep(step: Step, before: SetupIntentChange): SetupIntentChange | undefined {
  try {
    return step(before)
  } catch (error) {
    if (error instanceof StripeFault && error.error.code === 'setup_intent_unexpected_state') return undefined
    throw error
  }
}
