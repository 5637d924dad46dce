import type { PaymentStatus } from '../../quoting/tenants/customer.ts'
import type { SetupIntent } from '../payment-processor.ts'

/** The payment status that follows from an intent's state at the processor. */
export function paymentStatusOf(intent: Pick<SetupIntent, 'status' | 'lastAttemptFailed'>): PaymentStatus {
  switch (intent.status) {
    case 'succeeded':
      return 'ready'
    case 'canceled':
      return 'not_started'
    case 'requires_payment_method':
      return intent.lastAttemptFailed ? 'setup_failed' : 'setup_started'
    case 'requires_confirmation':
    case 'requires_action':
    case 'processing':
      return 'setup_started'
  }
}

/** Whether the intent has ended. An ended intent does not change, except that a succeeded one may be cancelled. */
export function hasIntentEnded({ status }: Pick<SetupIntent, 'status'>): boolean {
  return status === 'succeeded' || status === 'canceled'
}

/**
 * Whether the status is the result of a collection. After a collection, reports about the setup intent no longer change
 * the payment status.
 */
export function hasCollectionOutcome(status: PaymentStatus): boolean {
  return status === 'paid' || status === 'failed'
}
