import type { Pence } from '../../kernel/money.ts'
import type { SetupIntent } from './payment-processor.ts'

/** How a partner's simulated processor behaves: what a real one's webhooks may do on their way, and an outage. */
export interface ProcessorSteering {
  /** How long after a change its webhook is sent, 0 to 600. */
  delaySeconds: number
  /** How often each is sent, 1 to 5. */
  copies: number
  /** `reversed` gathers the webhooks of one delay (of half a second at least) and sends the newest first. */
  order: 'sent' | 'reversed'
  /** True: they are never sent. */
  lost: boolean
  /** True: every call about this partner's customers and intents is 503. */
  down: boolean
}

/** A processor nobody has steered. */
export const undisturbed: ProcessorSteering = { delaySeconds: 0, copies: 1, order: 'sent', lost: false, down: false }

/** True where webhooks arrive once, in order and at once, so that a steering call may take their news in ahead of them. */
export function tellsAtOnce({ delaySeconds, copies, order, lost }: ProcessorSteering): boolean {
  return delaySeconds === 0 && copies === 1 && order === 'sent' && !lost
}

/** How a collection from a card ended, and when by the processor's clock (whole seconds). */
export interface Collection {
  outcome: 'paid' | 'failed'
  occurredAt: Date
}

/** What the sandbox's processor can do beside: play the tenant, the bank and the operator, and be steered. */
export interface SandboxProcessor {
  /**
   * Confirms an intent as the tenant's browser would, with a test card by name or number. A refused card is no error: the
   * intent comes back needing another one. One that has succeeded or was cancelled is answered as it stands. Throws
   * `validation_failed` for what is no test card.
   */
  confirmSetupIntent(setupIntentId: string, paymentMethod: string): Promise<SetupIntent>

  /**
   * The bank's answer to an intent that asks for authentication. Throws `validation_failed` for one that does not. With a key it
   * is given once, however often it is sent.
   */
  authenticateSetupIntent(
    setupIntentId: string,
    outcome: 'passed' | 'failed',
    idempotencyKey: string | undefined,
  ): Promise<SetupIntent>

  /**
   * Takes a payment from the card attached by an intent, as the operator would; one only, where it is sent again with its key. Ends
   * as that card's payments do, or as told.
   * Throws `payment_setup_incomplete` where the intent has attached no card.
   */
  collect(input: {
    setupIntentId: string
    customerId: string
    quoteId: string
    partnerId: string
    amount: Pence
    outcome?: 'paid' | 'failed'
    idempotencyKey: string | undefined
  }): Promise<Collection>

  readSteering(partnerId: string): Promise<ProcessorSteering>

  /** Changes what is given and leaves the rest; answers the whole. */
  steer(partnerId: string, change: Partial<ProcessorSteering>): Promise<ProcessorSteering>
}
