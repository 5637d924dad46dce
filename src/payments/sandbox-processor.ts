import type { Id } from '../platform/kernel/ids.ts'
import type { Pence } from '../platform/kernel/money.ts'
import type { CollectionNotice, PaymentNotice, ReversalNotice, SetupIntent } from './payment-processor.ts'

/** How a partner's simulated processor delivers webhooks, and whether it is down. */
export interface ProcessorBehaviour {
  /** How many seconds after a change its webhook is sent, 0 to 600. */
  delaySeconds: number
  /** If true, webhooks are never sent. */
  lost: boolean
  /** If true, every call about this partner's customers and intents returns 503. */
  down: boolean
}

/** The default behaviour. */
export const defaultProcessorBehaviour: ProcessorBehaviour = {
  delaySeconds: 0,
  lost: false,
  down: false,
}

/** Whether webhooks arrive without delay. If so, a sandbox call may apply a change before its webhook arrives. */
export function deliversWebhooksAtOnce({ delaySeconds, lost }: ProcessorBehaviour): boolean {
  return delaySeconds === 0 && !lost
}

/**
 * What only the simulated processor can do: play the tenant, the bank and the operator, and change its own behaviour on
 * request.
 */
export interface SandboxProcessor {
  /**
   * Confirms an intent as the tenant's browser would, with a test card by name or number. A declined card is not an
   * error: the intent then requires a different card. If the intent has succeeded or was cancelled, returns it
   * unchanged. Throws
   * `validation_failed` for an unknown test card. Idempotent by key.
   */
  confirmSetupIntent(setupIntentId: string, paymentMethod: string, idempotencyKey?: string): Promise<SetupIntent>

  /**
   * Makes the bank's decision on an intent that requires authentication. Throws `validation_failed` for any other
   * intent. Idempotent by key.
   */
  authenticateSetupIntent(
    setupIntentId: string,
    outcome: 'passed' | 'failed',
    idempotencyKey: string | undefined,
  ): Promise<SetupIntent>

  /**
   * Takes a payment from the card attached by an intent, as the operator would. Idempotent by key. Without `outcome`,
   * the test card decides. Throws `payment_setup_incomplete` if the intent has attached no card.
   */
  collect(input: {
    setupIntentId: string
    customerId: Id<'tenant'>
    quoteId: Id<'quote'>
    partnerId: Id<'partner'>
    amount: Pence
    /** The entry of the ledger that the payment names; null to name none. */
    entryId: string | null
    outcome?: 'paid' | 'failed'
    idempotencyKey: string | undefined
  }): Promise<CollectionNotice>

  /**
   * Refunds a whole payment, as the operator would, or disputes it, as the tenant's bank would. Idempotent by key.
   * Throws
   * `validation_failed` if that has already happened.
   */
  reverse(input: {
    paymentId: string
    outcome: 'refunded' | 'disputed'
    idempotencyKey: string | undefined
  }): Promise<ReversalNotice>

  /** What a call of `collect` or `reverse` with this key did before a crash; undefined if there was none. */
  findEarlier(idempotencyKey: string): Promise<PaymentNotice | undefined>

  readBehaviour(partnerId: Id<'partner'>): Promise<ProcessorBehaviour>

  /** Changes only the given settings. Returns all settings, changed or not. */
  changeBehaviour(partnerId: Id<'partner'>, change: Partial<ProcessorBehaviour>): Promise<ProcessorBehaviour>
}
