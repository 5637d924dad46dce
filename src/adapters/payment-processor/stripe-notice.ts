import type Stripe from 'stripe'
import type { ProcessorNotice } from '../../domain/payments/payment-processor.ts'
import { DomainError } from '../../kernel/errors.ts'
import { readStripeEvent } from './stripe-event.ts'

const toleranceSeconds = 300

/** How to verify a signature: with the library's `webhooks`. */
interface SignatureCheck {
  webhooks: typeof Stripe.webhooks
  webhookSecret: string
  receivedAt: Date
}

/**
 * Verifies a webhook's signature over its raw bytes, and that it is at most five minutes old. Returns the notice. Throws
 * `invalid_request` if the signature, its age or the body is invalid. The error does not say which, because only a forger would
 * need to know.
 */
export function readStripeNotice(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  check: SignatureCheck,
): ProcessorNotice {
  const notice = readStripeEvent(verifiedEvent(rawBody, signatureHeader, check))
  if (notice === undefined) throw notTheProcessors()
  return notice
}

/** Throws the same error whatever the library throws: it throws many kinds here, even a plain `Error` for a malformed header. */
function verifiedEvent(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  { webhooks, webhookSecret, receivedAt }: SignatureCheck,
): unknown {
  try {
    return webhooks.constructEvent(
      rawBody,
      signatureHeader ?? '',
      webhookSecret,
      toleranceSeconds,
      undefined,
      receivedAt.getTime(),
    )
  } catch (error) {
    throw notTheProcessors(error)
  }
}

function notTheProcessors(error?: unknown): DomainError {
  // The library's errors contain the whole body, so only their message is passed on.
  const cause = error instanceof Error ? { cause: new Error(error.message) } : {}
  return new DomainError(
    'invalid_request',
    'This is not a valid webhook from the payment processor. Check the signing secret and the clock, and make sure that the body arrives unchanged.',
    cause,
  )
}
