import { NamedChoice, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id } from '../platform/http/schemas/values.ts'
import { setupIntentStatuses } from './payment-processor.ts'

export const SetupIntentStatusName = NamedChoice(
  'SetupIntentStatus',
  setupIntentStatuses,
  'The status of a setup intent, as the payment processor names it.',
)

/** The response of the sandbox operations that act on a setup intent. */
export const SetupIntentOutcome = ResponseObject('SetupIntentOutcome', 'A setup intent after a sandbox operation.', {
  setupIntentId: Id('The id of the setup intent.'),
  status: SetupIntentStatusName,
})
