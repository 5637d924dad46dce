import Type from 'typebox'
import { setupIntentStatuses } from '../../../domain/payments/payment-processor.ts'
import { authenticateSetupIntent } from '../../../domain/sandbox/authenticate-setup-intent.ts'
import { route } from '../../route.ts'
import { Id } from '../../wire/values.ts'

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
  body: Type.Object({ outcome: Type.Enum(['passed', 'failed']) }, { additionalProperties: false }),
  reply: Type.Object(
    { setupIntentId: Id(), status: Type.Enum([...setupIntentStatuses]) },
    { additionalProperties: false },
  ),
  errors: ['validation_failed', 'service_unavailable'],
  handle: (services, { caller, id, body }) =>
    authenticateSetupIntent(services, caller, { setupIntentId: id, outcome: body.outcome }),
  present: ({ setupIntentId, status }) => ({ setupIntentId, status }),
})
