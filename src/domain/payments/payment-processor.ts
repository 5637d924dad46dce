/** The processor's own words for where a setup intent stands (the Stripe wire form). */
export const setupIntentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'succeeded',
  'canceled',
] as const
export type SetupIntentStatus = (typeof setupIntentStatuses)[number]

/** A setup intent as the processor has it now. `clientSecret` opens card collection in a browser: never stored, never logged. */
export interface SetupIntent {
  setupIntentId: string
  processorCustomerId: string
  status: SetupIntentStatus
  clientSecret: string
  /** True when the last try to attach a card was refused. */
  lastAttemptFailed: boolean
}

/** What the processor tells us through its signed webhook, in our words. `other`: a kind we do not act on. */
export type ProcessorNotice =
  | { kind: 'setup-intent'; noticeId: string; occurredAt: Date; intent: Omit<SetupIntent, 'clientSecret'> }
  | { kind: 'collection'; noticeId: string; occurredAt: Date; processorCustomerId: string; outcome: 'paid' | 'failed' }
  | { kind: 'other'; noticeId: string; type: string }

/**
 * The payment processor: keeps cards, so that we never see one. Every call throws `service_unavailable` when the
 * processor cannot be reached or answers with a fault of its own. Creating calls are idempotent by `idempotencyKey`:
 * the same key never makes a second customer or intent, however often and from whichever process it is sent. A processor
 * forgets its keys some day: with `keysMayBeForgotten` what an earlier call has left is looked for first.
 */
export interface PaymentProcessor {
  /** Where one is known to be there as `existing`, it is brought up to date instead. */
  createCustomer(input: {
    customerId: string
    quoteId: string
    partnerId: string
    name: string
    email: string
    idempotencyKey: string
    keysMayBeForgotten?: boolean
    existing?: string | null
  }): Promise<{ processorCustomerId: string }>

  /** A card, off-session intent. */
  createSetupIntent(input: {
    processorCustomerId: string
    customerId: string
    quoteId: string
    partnerId: string
    idempotencyKey: string
    keysMayBeForgotten?: boolean
  }): Promise<SetupIntent>

  readSetupIntent(setupIntentId: string): Promise<SetupIntent>

  /** Cancels an intent that has not succeeded; one already cancelled or succeeded is answered as it stands. */
  cancelSetupIntent(setupIntentId: string): Promise<SetupIntent>

  /**
   * Checks the signature over the raw bytes and reads the notice. Throws `invalid_request` where the signature, its
   * age or the body is not the processor's.
   */
  readNotice(rawBody: Buffer, signatureHeader: string | undefined): ProcessorNotice
}
