import Type from 'typebox'
import { SetupIntentOutcome } from '../payments/setup-intent.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject } from '../platform/http/schemas/named.ts'
import { authenticateSetupIntent, confirmSetupIntent } from './setup-intent-step.ts'

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
