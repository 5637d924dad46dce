import { SetupIntentOutcome } from '../payments/setup-intent.schema.ts'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject } from '../platform/http/schemas/named.ts'
import { authenticateSetupIntent } from './authenticate-setup-intent.ts'

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
  handle: (services, { caller, id, body }) =>
    authenticateSetupIntent(services, caller, { setupIntentId: id, outcome: body.outcome }),
  present: ({ setupIntentId, status }) => ({ setupIntentId, status }),
})
