import type { Decline, FinalOutcome } from '../../../payments/test-cards.ts'
import type { CardAttempt, CardSummary } from './card-attempt.ts'
import type { AttachedCard } from './customers.store.ts'
import { newProcessorId } from './protocol/credentials.ts'
import { StripeFault } from './protocol/stripe-fault.ts'

/** Why the last attempt failed, as shown in `last_setup_error`. */
interface SetupError {
  type: 'card_error' | 'invalid_request_error'
  code: string
  decline_code?: string
  message: string
  doc_url: string
  payment_method: object | null
}

/** A setup intent in Stripe's format, as stored. Its client secret is not stored; it is added to responses. */
export interface StoredSetupIntent {
  id: string
  object: 'setup_intent'
  allowed_payment_method_types: ['card']
  application: null
  automatic_payment_methods: null
  cancellation_reason: string | null
  created: number
  customer: string | null
  description: string | null
  flow_directions: null
  last_setup_error: SetupError | null
  latest_attempt: string | null
  livemode: false
  mandate: null
  metadata: Record<string, string>
  next_action: { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_redirect' } } | null
  on_behalf_of: null
  payment_method: string | null
  payment_method_options: { card: { mandate_options: null; network: null; request_three_d_secure: 'automatic' } }
  payment_method_types: ['card']
  single_use_mandate: null
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  usage: 'off_session' | 'on_session'
}

/** What happens after authentication. Stored with an intent while it waits for the customer. */
export interface PendingAuthentication {
  card: CardSummary | null
  afterwards: FinalOutcome
}

type SetupIntentEventType =
  | 'setup_intent.created'
  | 'setup_intent.requires_action'
  | 'setup_intent.succeeded'
  | 'setup_intent.setup_failed'
  | 'setup_intent.canceled'

/** The result of one step: the changed intent, and the event to send. */
export interface SetupIntentChange {
  intent: StoredSetupIntent
  pending: PendingAuthentication | null
  event: SetupIntentEventType
  /** The card that this step attached. */
  attached?: AttachedCard
}

export function newSetupIntent(
  given: Pick<StoredSetupIntent, 'customer' | 'description' | 'metadata' | 'usage'>,
  now: Date,
): SetupIntentChange {
  const intent: StoredSetupIntent = {
    id: newProcessorId('seti'),
    object: 'setup_intent',
    allowed_payment_method_types: ['card'],
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    created: Math.floor(now.getTime() / 1000),
    customer: given.customer,
    description: given.description,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: given.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: given.usage,
  }
  return { intent, pending: null, event: 'setup_intent.created' }
}

/**
 * Confirms an intent with a card. Replaces an attempt that still waits for the customer, so an abandoned one never
 * blocks the intent.
 */
export function confirmSetupIntent(intent: StoredSetupIntent, attempt: CardAttempt): SetupIntentChange {
  rejectEnded(intent, 'confirm')
  const tried: StoredSetupIntent = {
    ...intent,
    latest_attempt: newProcessorId('setatt'),
    last_setup_error: null,
    next_action: null,
    payment_method: null,
  }
  if (attempt.outcome.kind !== 'asks-authentication') return finish(tried, attempt.card, attempt.outcome)
  return {
    intent: {
      ...tried,
      status: 'requires_action',
      payment_method: newProcessorId('pm'),
      next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } },
    },
    pending: { card: attempt.card, afterwards: attempt.outcome.afterwards },
    event: 'setup_intent.requires_action',
  }
}

/** Applies the outcome of the customer's authentication. */
export function completeAuthentication(
  intent: StoredSetupIntent,
  pending: PendingAuthentication | null,
  outcome: 'authenticated' | 'failed',
): SetupIntentChange {
  if (intent.status !== 'requires_action' || pending === null) throw unexpectedState(intent, 'authenticate')
  const answered = { ...intent, next_action: null }
  if (outcome === 'authenticated') return finish(answered, pending.card, pending.afterwards)
  return decline(answered, pending.card, {
    type: 'invalid_request_error',
    code: 'setup_intent_authentication_failure',
    message: 'Your bank could not confirm that it was you. Try again, or use another card.',
  })
}

/**
 * Cancels an intent. Throws the processor's `setup_intent_unexpected_state` if it has already succeeded or been
 * cancelled.
 */
export function cancelSetupIntent(intent: StoredSetupIntent, reason: string | null): SetupIntentChange {
  rejectEnded(intent, 'cancel')
  return {
    intent: { ...intent, status: 'canceled', cancellation_reason: reason, next_action: null, payment_method: null },
    pending: null,
    event: 'setup_intent.canceled',
  }
}

function finish(intent: StoredSetupIntent, card: CardSummary | null, outcome: FinalOutcome): SetupIntentChange {
  if (outcome.kind === 'declined') return decline(intent, card, { type: 'card_error', ...outcome.decline })
  const payment_method = intent.payment_method ?? newProcessorId('pm')
  return {
    intent: { ...intent, status: 'succeeded', payment_method },
    pending: null,
    event: 'setup_intent.succeeded',
    attached: { id: payment_method, customer: intent.customer, card, laterDecline: outcome.laterDecline ?? null },
  }
}

function decline(
  intent: StoredSetupIntent,
  card: CardSummary | null,
  decline: Decline & { type: SetupError['type'] },
): SetupIntentChange {
  const last_setup_error: SetupError = {
    type: decline.type,
    code: decline.code,
    ...(decline.declineCode === undefined ? {} : { decline_code: decline.declineCode }),
    message: decline.message,
    doc_url: `https://docs.stripe.com/error-codes#${decline.code.replaceAll('_', '-')}`,
    payment_method: card === null ? null : { id: newProcessorId('pm'), object: 'payment_method', type: 'card', card },
  }
  return {
    intent: { ...intent, status: 'requires_payment_method', payment_method: null, last_setup_error },
    pending: null,
    event: 'setup_intent.setup_failed',
  }
}

function rejectEnded(intent: StoredSetupIntent, verb: string): void {
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState(intent, verb)
}

function unexpectedState(intent: StoredSetupIntent, verb: string): StripeFault {
  return new StripeFault(400, {
    type: 'invalid_request_error',
    code: 'setup_intent_unexpected_state',
    message: `You cannot ${verb} this SetupIntent because it has a status of ${intent.status}.`,
    setup_intent: intent,
  })
}
