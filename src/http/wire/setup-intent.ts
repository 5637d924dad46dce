import { setupIntentStatuses } from '../../domain/payments/payment-processor.ts'
import { NamedChoice, ResponseObject } from './named.ts'
import { Id } from './values.ts'

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
