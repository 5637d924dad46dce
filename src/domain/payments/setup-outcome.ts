import type { PaymentStatus } from '../customers/customer.ts'
import type { SetupIntent } from './payment-processor.ts'

/** What an intent's state at the processor means for the customer's payment status. */
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

/** An intent that has ended stays so, but that one which succeeded may be cancelled. */
export function hasEnded({ status }: Pick<SetupIntent, 'status'>): boolean {
  return status === 'succeeded' || status === 'canceled'
}

/** Collection has spoken: what the set-up does afterwards changes nothing any more. */
export function isCollecting(status: PaymentStatus): boolean {
  return status === 'paid' || status === 'failed'
}
