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

/** How one payment that the operator took from a customer's card has ended, at the processor's time (whole seconds). */
export interface CollectionNotice {
  kind: 'collection'
  noticeId: string
  occurredAt: Date
  processorCustomerId: string
  outcome: 'paid' | 'failed'
}

/** What the processor tells us through its signed webhook, in our words. `other`: a kind we do not act on. */
export type ProcessorNotice =
  | { kind: 'setup-intent'; noticeId: string; occurredAt: Date; intent: Omit<SetupIntent, 'clientSecret'> }
  | CollectionNotice
  | { kind: 'other'; noticeId: string; type: string }

/** How long a call is waited for, where it is one of several that share their time; what it has sent may still be carried out. */
export interface SharedWait {
  until?: AbortSignal | undefined
}

/** Which collections to list. */
export interface CollectionQuestion {
  /** From this second on; null for all the processor still knows (30 days of them). */
  since: Date | null
  /** Up to and without this second; undefined for up to now. */
  until?: Date | undefined
  /** What a page before this one gave: where this one goes on. */
  olderThan?: string | undefined
}

/** One page of them. */
export interface CollectionPage {
  /** Newest first. Payments of nobody's, which have no customer, are not among them. */
  notices: CollectionNotice[]
  /** When the newest payment of the page happened, whosever it was; undefined for an empty page. */
  newestAt: Date | undefined
  /** To ask for the next page, of older ones; undefined on the last. */
  olderThan: string | undefined
}

/**
 * The payment processor: keeps cards, so that we never see one. Every call throws `service_unavailable` when the
 * processor cannot be reached or answers with a fault of its own. Creating calls are idempotent by `idempotencyKey`:
 * the same key never makes a second customer or intent, however often and from whichever process it is sent. A processor
 * forgets its keys some day: with `keysMayBeForgotten` what an earlier call has left is looked for first.
 */
export interface PaymentProcessor {
  /** Where one is known to be there as `existing`, it is brought up to date instead. */
  createCustomer(
    input: {
      customerId: string
      quoteId: string
      partnerId: string
      name: string
      email: string
      idempotencyKey: string
      keysMayBeForgotten?: boolean
      existing?: string | null
    },
    wait?: SharedWait,
  ): Promise<{ processorCustomerId: string }>

  /**
   * Deletes the customer with their cards; one that was deleted before is deleted. Without the processor's id they are looked
   * for: false where they are not found, which for some minutes after they were made does not say that there are none.
   */
  deleteCustomer(input: { customerId: string; processorCustomerId: string | null }): Promise<boolean>

  /** A card, off-session intent. */
  createSetupIntent(
    input: {
      processorCustomerId: string
      customerId: string
      quoteId: string
      partnerId: string
      idempotencyKey: string
      keysMayBeForgotten?: boolean
    },
    wait?: SharedWait,
  ): Promise<SetupIntent>

  readSetupIntent(setupIntentId: string, wait?: SharedWait): Promise<SetupIntent>

  /** Cancels an intent that has not succeeded; one already cancelled or succeeded is answered as it stands. */
  cancelSetupIntent(setupIntentId: string): Promise<SetupIntent>

  /** What its notices of collections have told or should have, page by page; repeating a question is harmless. */
  listCollections(question: CollectionQuestion): Promise<CollectionPage>

  /**
   * Checks the signature over the raw bytes and reads the notice. Throws `invalid_request` where the signature, its
   * age or the body is not the processor's.
   */
  readNotice(rawBody: Buffer, signatureHeader: string | undefined): ProcessorNotice
}
