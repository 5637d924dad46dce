import type { Id } from '../platform/kernel/ids.ts'
import type { Pence } from '../platform/kernel/money.ts'
import type { PaymentErrorCode } from './payment-error.ts'

/** The processor's setup intent statuses, under Stripe's names. */
export const setupIntentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'succeeded',
  'canceled',
] as const
export type SetupIntentStatus = (typeof setupIntentStatuses)[number]

/** A setup intent at the processor. `clientSecret` opens card entry in a browser and must never be stored or logged. */
export interface SetupIntent {
  setupIntentId: string
  processorCustomerId: string
  /**
   * Whether the customer was deleted at the processor, so that no card can be attached. Known only of an intent that
   * was read by its id.
   */
  isCustomerDeleted: boolean
  status: SetupIntentStatus
  clientSecret: string
  /** True if the last attempt to attach a card was declined. */
  lastAttemptFailed: boolean
  /** Why the last attempt was declined; null if it was not. */
  error: PaymentErrorCode | null
  /** The processor's id of the last attempt to attach a card; null if there was none. */
  latestAttempt: string | null
}

/** Whether the intent has ended. An ended intent does not change, except that a succeeded one may be cancelled. */
export function hasIntentEnded({ status }: Pick<SetupIntent, 'status'>): boolean {
  return status === 'succeeded' || status === 'canceled'
}

/** A card as the processor knows it. */
export interface ReadCard extends CardDetails {
  /** The processor's id of the card. */
  paymentMethodId: string
  /** What is the same for every card with this number; absent if the processor does not tell. */
  fingerprint?: string
}

/** What is shown of a card. */
export interface CardDetails {
  /** In lower case, as the processor names it: `visa`. */
  brand: string
  last4: string
  /** 1 to 12. */
  expiryMonth: number
  expiryYear: number
}

/** What notices about payments have in common. `occurredAt` is on the processor's clock, in whole seconds. */
interface PaymentNoticeFields {
  noticeId: string
  occurredAt: Date
  /** The processor's id of the payment. A payment may have several attempts. */
  paymentId: string
  /**
   * Identifies what is reported. Every notice and response about it has the same value, so that it is recorded once.
   */
  reportId: string
  /** Null if the processor named no amount in pence. */
  amount: Pence | null
}

/** The outcome of one attempt to take a payment from a customer's card. */
export interface CollectionNotice extends PaymentNoticeFields {
  kind: 'collection'
  processorCustomerId: string
  outcome: 'paid' | 'failed'
  /** Why the attempt failed; null if it succeeded. */
  error: PaymentErrorCode | null
  /** The entry of the ledger that the operator named in the payment's metadata, if any. */
  entryId: string | null
}

/**
 * A payment was paid back, or taken back by the tenant's bank, or that came to nothing. `subjectId` is the processor's
 * id of the refund or the dispute. A refund without one says how much of the payment was refunded in total. An inquiry
 * of the bank is none of these, because it moves nothing.
 */
export interface ReversalNotice extends PaymentNoticeFields {
  kind: 'reversal'
  outcome: 'refunded' | 'refund_failed' | 'disputed' | 'dispute_won' | 'dispute_lost'
  subjectId: string | null
  /** The processor's status of a dispute if it is none that we know; the dispute then counts as not decided. */
  unknownStatus?: string
}

export type PaymentNotice = CollectionNotice | ReversalNotice

/** A signed webhook from the processor, translated into our terms. `other` stands for the types that we ignore. */
export type ProcessorNotice =
  | {
      kind: 'setup-intent'
      noticeId: string
      occurredAt: Date
      intent: Omit<SetupIntent, 'clientSecret' | 'isCustomerDeleted'>
    }
  | PaymentNotice
  | { kind: 'other'; noticeId: string; type: string }

/** A deadline that several calls share. A call that reaches the deadline may still take effect at the processor. */
export interface SharedDeadline {
  until?: AbortSignal | undefined
}

/** A query that selects collections, refunds and disputes. */
export interface CollectionQuery {
  /** Lists only collections from this time on; null for everything that the processor still lists (30 days). */
  since: Date | null
  /** Lists only collections before this time, rounded down to a second; undefined for no limit. */
  until?: Date | undefined
  /** The cursor from the previous page. */
  olderThan?: string | undefined
}

/** A page of collections, refunds and disputes. */
export interface CollectionPage {
  /** Newest first. Payments without a customer are left out. */
  notices: PaymentNotice[]
  /** The time of the newest payment on the page, even if it has no customer; undefined for an empty page. */
  newestAt: Date | undefined
  /** The cursor of the next, older page; undefined on the last page. */
  olderThan: string | undefined
}

/** A payment that the processor is to take from a card without the customer present. */
export interface PaymentToTake {
  entryId: Id<'entry'>
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  amount: Pence
  /** For the customer's statement. Never contains personal data. */
  description: string
  /** The intent that attached the card. */
  setupIntentId: string
  /** That card and its customer at the processor; null if the card was not read yet. */
  card: { processorCustomerId: string; paymentMethodId: string } | null
  /** Tells the attempts at one entry apart. The same attempt is never taken twice. */
  attemptNumber: number
  /**
   * Whether the attempt was asked for so long ago that the processor may have forgotten it. Then looks for it first.
   */
  mayBeForgotten: boolean
}

/**
 * What the processor said. `pending`: a notice will report the outcome. `rejected`: it did not try, for a reason that
 * has nothing to do with the customer's bank, so nothing was taken. `card missing`: it did not try, because it no
 * longer has the card or its customer.
 */
export type PaymentResult =
  | { kind: 'final'; notice: CollectionNotice }
  | { kind: 'pending'; paymentId: string }
  | { kind: 'rejected'; reason: string }
  | { kind: 'card missing' }

/** Something that the processor is to pay back to the card from which a payment was taken. */
export interface RefundToMake {
  /** The same order is never paid twice. */
  orderId: Id<'refund'>
  paymentId: string
  amount: Pence
  /** Whether it was asked for so long ago that the processor may have forgotten it. Then looks for it first. */
  mayBeForgotten: boolean
}

/**
 * What the processor said to a refund. `rejected`: the card does not take it. `later`: the processor cannot pay now,
 * for a reason of ours.
 */
export type RefundResult =
  | { kind: 'accepted'; notice: ReversalNotice }
  | { kind: 'rejected'; reason: string }
  | { kind: 'later'; reason: string }

/**
 * The payment processor. It stores the cards, so that we never see card details. Every call throws
 * `service_unavailable` if the processor cannot be reached or fails. Calls that create something are idempotent by
 * `idempotencyKey`: the same key never creates a second customer or intent, whichever process sends it. The processor
 * forgets keys after a while. With
 * `keysMayBeForgotten`, a call first looks for what an earlier call created.
 */
export interface PaymentProcessor {
  /**
   * Creates a customer or, if `existing` is given, updates it. One that was deleted at the processor is created anew.
   */
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
    wait?: SharedDeadline,
  ): Promise<{ processorCustomerId: string }>

  /**
   * Deletes the customer and their cards. Deleting them again is harmless. Without the processor's id, searches for the
   * customer and returns false if there is none. A search may miss a customer created within the last few minutes.
   */
  deleteCustomer(input: { customerId: string; processorCustomerId: string | null }): Promise<boolean>

  /** Creates an intent to attach a card that is later charged off-session. */
  createSetupIntent(
    input: {
      processorCustomerId: string
      customerId: string
      quoteId: string
      partnerId: string
      idempotencyKey: string
      keysMayBeForgotten?: boolean
      /** Intents that an earlier call for this one cannot have created. */
      known?: readonly string[]
    },
    wait?: SharedDeadline,
  ): Promise<SetupIntent>

  /**
   * The card that a succeeded intent attached; null if the processor no longer has it. With `makeDefault`, first makes
   * it the one from which the operator collects.
   */
  readCard(input: { setupIntentId: string; makeDefault: boolean }, wait?: SharedDeadline): Promise<ReadCard | null>

  readSetupIntent(setupIntentId: string, wait?: SharedDeadline): Promise<SetupIntent>

  /** Cancels an intent. If it was already cancelled or has succeeded, returns it unchanged. */
  cancelSetupIntent(setupIntentId: string): Promise<SetupIntent>

  /** Takes a payment from a card without the customer present. The same attempt at an entry is never taken twice. */
  takePayment(payment: PaymentToTake): Promise<PaymentResult>

  /** Pays a part of a payment back to its card. The same order is never paid twice. */
  refundPayment(refund: RefundToMake): Promise<RefundResult>

  /**
   * Lists collections, refunds and disputes, page by page, including those whose notice was lost. Repeating a query is
   * harmless.
   */
  listCollections(query: CollectionQuery): Promise<CollectionPage>

  /**
   * Verifies the signature of the raw body and reads the notice. Throws `invalid_request` if the signature is wrong or
   * too old, or the body is malformed.
   */
  readNotice(rawBody: Buffer, signatureHeader: string | undefined): Promise<ProcessorNotice>
}
