import Stripe from 'stripe'
import type { ProcessorNotice } from '../../domain/payments/payment-processor.ts'
import { DomainError } from '../../kernel/errors.ts'
import { readStripeEvent } from './stripe-event.ts'

const toleranceSeconds = 300

/**
 * Checks a webhook's signature over its raw bytes (at most five minutes old) and reads what it tells, in our words.
 * Throws `invalid_request` where the signature, its age or the body is not the processor's; which of them is not said, as
 * only a forger would need it.
 */
export function readStripeNotice(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  check: { webhookSecret: string; receivedAt: Date },
): ProcessorNotice {
  const notice = readStripeEvent(verifiedEvent(rawBody, signatureHeader, check))
  if (notice === undefined) throw notTheProcessors()
  return notice
}

/** The library throws many kinds of error here, plain ones for a broken header too: all mean the same. */
function verifiedEvent(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  { webhookSecret, receivedAt }: { webhookSecret: string; receivedAt: Date },
): unknown {
  try {
    return Stripe.webhooks.constructEvent(
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
  // The library's errors carry the whole body: only their message goes on.
  const cause = error instanceof Error ? { cause: new Error(error.message) } : {}
  return new DomainError(
    'invalid_request',
    'This is not a valid webhook from the payment processor. Check the signing secret and the clock, and make sure that the body arrives unchanged.',
    cause,
  )
}
