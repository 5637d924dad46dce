import Type, { type Static } from 'typebox'
import { SupplyReasonName } from '../contracts/supply/supply-report.schema.ts'
import { workImportsOf } from '../onboarding/imports/imports.job.ts'
import { SetupIntentOutcome } from '../payments/payment.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, described, Nullable, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import {
  GivenId,
  GivenTimestamp,
  Id,
  Pence,
  Timestamp,
  timestamp,
  WholeNumber,
} from '../platform/http/schemas/values.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { requireInstant } from '../platform/kernel/instant.ts'
import { ServiceStatusName } from '../quoting/packages/service-status.schema.ts'
import { PaymentStatusName, presentQuoteFields, QuoteOutline } from '../quoting/quotes/quote.schema.ts'
import { presentWebhook, WebhookObject } from '../webhooks/webhook.schema.ts'
import { advanceClock, maxAdvanceSeconds, maxAdvanceYears, readClock, type SandboxClock } from './advance-clock.ts'
import { advanceDeliveries, maxDeliverySeconds } from './advance-deliveries.ts'
import { collectOutcomes, collectPayment } from './collect-payment.ts'
import { expireQuote } from './expire-quote.ts'
import { setServiceStatus } from './set-service-status.ts'
import { authenticateSetupIntent, confirmSetupIntent } from './setup-intent-step.ts'

export const expireQuoteRoute = route({
  operationId: 'sandboxExpireQuote',
  method: 'POST',
  path: '/Sandbox/quotes/{id}/expire',
  tag: 'Sandbox',
  summary: 'Expire a quote now',
  description:
    'With `quotingToolVersionId`, the quote is next priced on that version, as if prices had changed meanwhile.',
  idDescription: 'quoteId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('ExpireQuoteRequest', 'The prices that apply next.', {
    quotingToolVersionId: Type.Optional(GivenId('The id of a quoting tool version.')),
  }),
  bodyIsOptional: true,
  reply: QuoteOutline,
  errors: ['quote_locked', 'quote_cancelled', 'quoting_tool_version_not_found'],
  handle: (deps, { caller, id, body }) => expireQuote(deps, caller, { ...body, quoteId: id }),
  present: presentQuoteFields,
})

export const advanceDeliveriesRoute = route({
  operationId: 'sandboxAdvanceDeliveries',
  method: 'POST',
  path: '/Sandbox/webhooks/{id}/advance',
  tag: 'Sandbox',
  summary: "Move a webhook's retries forward in time",
  description:
    'Retries of the webhook become due as many seconds earlier, and its failures become as much older, as if every attempt in that time had failed. The webhook is disabled after five days, by the next attempt that fails.',
  idDescription: 'webhookId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('AdvanceDeliveriesRequest', 'How far to move the retries.', {
    seconds: WholeNumber({
      minimum: 1,
      maximum: maxDeliverySeconds,
      description: 'The number of seconds to move them by.',
    }),
  }),
  reply: WebhookObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, id, body }) => advanceDeliveries(deps, caller, { webhookId: id, seconds: body.seconds }),
  present: presentWebhook,
})

const SandboxClockObject = ResponseObject('SandboxClock', 'Your sandbox clock.', {
  now: Timestamp('The time on your sandbox clock.'),
  offsetSeconds: WholeNumber({
    minimum: 0,
    maximum: maxAdvanceSeconds,
    description: 'How many seconds the clock is ahead of real time.',
  }),
})

function presentClock({ now, offsetSeconds }: SandboxClock): Static<typeof SandboxClockObject> {
  return { now: timestamp(now), offsetSeconds }
}

export const readClockRoute = route({
  operationId: 'sandboxReadClock',
  method: 'GET',
  path: '/Sandbox/clock',
  tag: 'Sandbox',
  summary: 'Read your sandbox clock',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: SandboxClockObject,
  handle: (deps, { caller }) => readClock(deps, caller),
  present: presentClock,
})

function notBoth(body: unknown): FieldError[] {
  // The schema reports a body that is no object.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const { seconds, to } = body as { seconds?: unknown; to?: unknown }
  if (seconds === undefined || to === undefined) return []
  return [{ pointer: '/seconds', code: 'not_allowed', detail: 'Send either seconds or to.' }]
}

export const advanceClockRoute = route({
  operationId: 'sandboxAdvanceClock',
  method: 'POST',
  path: '/Sandbox/clock/advance',
  tag: 'Sandbox',
  summary: 'Move your sandbox clock forward',
  description: `Send either \`seconds\` or \`to\`. Affects dates, quote expiry, age checks, contract URLs and the expiry of Priority Services Register entries, for all your data. Tokens, signatures, rate limits, retries and idempotency keys stay in real time. The clock only moves forward, by up to ${maxAdvanceYears} years in total.`,
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject(
    'AdvanceClockRequest',
    'How far to move the clock.',
    {
      seconds: Type.Optional(
        WholeNumber({ minimum: 0, maximum: maxAdvanceSeconds, description: 'The number of seconds to move it by.' }),
      ),
      to: Type.Optional(GivenTimestamp('The time that the clock is to show.')),
    },
    { minProperties: 1 },
  ),
  refine: notBoth,
  reply: SandboxClockObject,
  errors: ['validation_failed'],
  async handle(deps, { caller, body }) {
    // As would have happened while that time passed.
    await workImportsOf(deps, caller)
    return advanceClock(
      deps,
      caller,
      body.to === undefined ? { seconds: body.seconds ?? 0 } : { to: requireInstant(body.to) },
    )
  },
  present: presentClock,
})

export const collectPaymentRoute = route({
  operationId: 'sandboxCollectPayment',
  method: 'POST',
  path: '/Sandbox/customers/{id}/collect',
  tag: 'Sandbox',
  summary: "Collect the next payment on the operator's behalf",
  description:
    "The simulated processor takes the first payment of the customer's schedule that is not collected yet from the attached card and sends its webhook. Each payment is collected once, also by simultaneous calls. The customer's contract must be in force. The result depends on the card, unless you set `outcome`. With the outcome `refunded` or `disputed`, it instead refunds the payment that was collected last, or the tenant's bank disputes it.",
  idDescription: 'customerId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('CollectPaymentRequest', 'The outcome of the collection.', {
    outcome: Type.Optional(Choice(collectOutcomes, 'The outcome. Depends on the card if you leave it out.')),
  }),
  bodyIsOptional: true,
  reply: ResponseObject('CollectedPayment', 'The outcome of a collection.', {
    customerId: Id('The id of the customer.'),
    amount: Pence('The amount of the attempted, refunded or disputed payment, in pence.'),
    paymentStatus: described(PaymentStatusName, "The customer's payment status after the attempt."),
  }),
  errors: ['contract_not_in_force', 'payment_setup_incomplete', 'validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id, body }) => collectPayment(deps, caller, { ...body, customerId: id }),
  present: ({ customerId, amount, paymentStatus }) => ({ customerId, amount, paymentStatus }),
})

export const setServiceStatusRoute = route({
  operationId: 'sandboxSetServiceStatus',
  method: 'POST',
  path: '/Sandbox/quotes/{id}/service-status',
  tag: 'Sandbox',
  summary: "Set a service's status on the operator's behalf",
  description:
    'Reports how far the supply of a service has come. It holds for every tenant whose contract is in force, and each of them has a `customer.service.changed` and, where it is news to them, an e-mail. The same status and reason again changes nothing.',
  idDescription: 'quoteId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SetServiceStatusRequest', 'The service and its new status.', {
    serviceId: GivenId('The id of the service, as `GET /Customers/{id}` shows it.'),
    status: ServiceStatusName,
    reason: Type.Optional(SupplyReasonName),
  }),
  reply: ResponseObject('ServiceStatusOfQuote', 'The status of a service of a quote.', {
    quoteId: Id('The id of the quote.'),
    serviceId: Id('The id of the service.'),
    status: ServiceStatusName,
    reason: Nullable(SupplyReasonName),
  }),
  errors: ['validation_failed', 'onboarding_incomplete'],
  handle: (deps, { caller, id, body }) => setServiceStatus(deps, caller, { reason: null, ...body, quoteId: id }),
  present: (set) => set,
})

export const confirmSetupIntentRoute = route({
  operationId: 'sandboxConfirmSetupIntent',
  method: 'POST',
  path: '/Sandbox/setup-intents/{id}/confirm',
  tag: 'Sandbox',
  summary: "Confirm a setup intent on the tenant's behalf",
  description:
    '`pm_card_visa` succeeds, `pm_card_chargeDeclined` is declined, and `pm_card_authenticationRequired` waits for the customer to authenticate (see `POST /Sandbox/setup-intents/{id}/authenticate`). You can also send the number of a test card. A declined card is not an error: the response contains the status of the intent.',
  idDescription: 'setupIntentId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('ConfirmSetupIntentRequest', 'The card to attach.', {
    paymentMethod: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A test payment method such as `pm_card_visa`, or the number of a test card.',
    }),
  }),
  reply: SetupIntentOutcome,
  errors: ['validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id, body }) =>
    confirmSetupIntent(deps, caller, { setupIntentId: id, paymentMethod: body.paymentMethod }),
  present: ({ setupIntentId, status }) => ({ setupIntentId, status }),
})

export const authenticateSetupIntentRoute = route({
  operationId: 'sandboxAuthenticateSetupIntent',
  method: 'POST',
  path: '/Sandbox/setup-intents/{id}/authenticate',
  tag: 'Sandbox',
  summary: "Complete a setup intent's authentication on the bank's behalf",
  description:
    'For an intent whose status is `requires_action`. With `passed`, the card is attached, or declined if it is a test card that declines. With `failed`, the intent needs a card again. The response contains the status of the intent.',
  idDescription: 'setupIntentId',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('AuthenticateSetupIntentRequest', "The outcome of the bank's authentication.", {
    outcome: Choice(['passed', 'failed'], 'Whether the authentication succeeds.'),
  }),
  reply: SetupIntentOutcome,
  errors: ['validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id, body }) =>
    authenticateSetupIntent(deps, caller, { setupIntentId: id, outcome: body.outcome }),
  present: ({ setupIntentId, status }) => ({ setupIntentId, status }),
})
