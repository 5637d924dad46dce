import type { Credentials, KeyKind } from './protocol/credentials.ts'
import type { StripeErrorBody } from './protocol/stripe-fault.ts'
import type { StoredSetupIntent } from './setup-intent.ts'

const visibleWithPublishableKey = [
  'id',
  'object',
  'cancellation_reason',
  'created',
  'description',
  'last_setup_error',
  'livemode',
  'next_action',
  'payment_method',
  'payment_method_types',
  'status',
  'usage',
] as const satisfies readonly (keyof StoredSetupIntent)[]

/** The intent with its client secret. For a publishable key, only the fields that a browser may see. */
export function setupIntentResponse(credentials: Credentials, keyKind: KeyKind, intent: StoredSetupIntent): object {
  const client_secret = credentials.clientSecretOf(intent.id)
  if (keyKind === 'secret') return { ...intent, client_secret }
  return { ...Object.fromEntries(visibleWithPublishableKey.map((name) => [name, intent[name]])), client_secret }
}

/** The body to send: adds the client secret if the body is a setup intent or an error that contains one. */
export function responseBody(credentials: Credentials, keyKind: KeyKind, body: object): object {
  if (isSetupIntent(body)) return setupIntentResponse(credentials, keyKind, body)
  if (!('error' in body)) return body
  const error = body.error as StripeErrorBody
  if (error.setup_intent === undefined || !isSetupIntent(error.setup_intent)) return body
  return { error: { ...error, setup_intent: setupIntentResponse(credentials, keyKind, error.setup_intent) } }
}

function isSetupIntent(value: object): value is StoredSetupIntent {
  return 'object' in value && value.object === 'setup_intent'
}
