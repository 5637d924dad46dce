import Stripe from 'stripe'
import { DomainError } from '../../domain/kernel/errors.ts'
import type { SandboxCardConfirmation } from '../../domain/payments/payment-processor.ts'
import { findCardByName, paymentMethodNames } from '../../simulators/payment-processor/test-cards.ts'
import { createStripeClient, type StripeConnection, startLimit } from './stripe-client.ts'
import { asProcessorFailure } from './stripe-failures.ts'
import { readSetupIntentObject } from './stripe-setup-intent.ts'

/**
 * Confirms an intent at the simulator as the tenant's browser would. A refused card is no error: the intent comes back
 * needing another one. An intent that has succeeded or was cancelled is answered as it stands. Throws
 * `validation_failed` for a payment method that is no test card.
 */
export function createSandboxConfirmation(connection: StripeConnection): SandboxCardConfirmation {
  const stripe = createStripeClient(connection)
  return {
    confirmSetupIntent: async (setupIntentId, paymentMethod) => {
      if (findCardByName(paymentMethod) === undefined) throw unknownPaymentMethod()
      const within = startLimit(connection.timeoutMs)
      try {
        const confirmed = await stripe.setupIntents
          .confirm(setupIntentId, { payment_method: paymentMethod }, within())
          .catch((error: unknown) => {
            if (!leavesIntentAsItStands(error)) throw error
            return stripe.setupIntents.retrieve(setupIntentId, {}, within())
          })
        return readSetupIntentObject(confirmed)
      } catch (error) {
        throw asProcessorFailure(error)
      }
    },
  }
}

function leavesIntentAsItStands(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeCardError) return true
  return error instanceof Stripe.errors.StripeError && error.code === 'setup_intent_unexpected_state'
}

function unknownPaymentMethod(): DomainError {
  const detail = `Use one of the sandbox's test cards: ${paymentMethodNames.join(', ')}.`
  return new DomainError('validation_failed', `The payment method is not known. ${detail}`, {
    fields: [{ pointer: '/paymentMethod', code: 'unknown_payment_method', detail }],
  })
}
