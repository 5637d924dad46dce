import type { LatePaymentTerms } from '../../contracts/terms/fee-terms.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import {
  addWorkingDays,
  type BankHolidays,
  divisionOfCountry,
  nextWorkingDay,
} from '../../platform/kernel/working-days.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { findCustomer } from '../../quoting/tenants/customers.store.ts'
import type { LedgerStatus } from '../ledger/ledger-status.ts'
import type { PaymentErrorCode } from '../payment-error.ts'
import type { PaymentToTake } from '../payment-processor.ts'
import {
  type DuePayment,
  findEntryToCollect,
  findFailureNumber,
  insertLateFee,
  startAttempt,
} from './collecting.store.ts'

/** The processor remembers idempotency keys for at least a day. */
const keysLastMs = 20 * 3_600_000
/** A fee is due this many days after the failed payment at the earliest, so that the customer has been told of it. */
const feeNoticeDays = 10

/** An attempt that is stored, and the terms that the customer agreed to. */
export interface Attempt {
  payment: PaymentToTake
  terms: LatePaymentTerms | undefined
  /** How much it counts towards the limit of the day. */
  counts: Pence
}

export interface AttemptDependencies {
  cipher: FieldCipher
  bankHolidays: BankHolidays
  /** What the customer agreed to for failed payments; undefined if nothing. */
  latePaymentTermsOf(tx: Tx, partnerId: Id<'partner'>, contractNumber: string): Promise<LatePaymentTerms | undefined>
}

/** How much may be asked for in a day, and how much was asked for on this day before. */
export interface DailyLimit {
  limit: Pence
  asked: Pence
}

/**
 * Stores the attempt, unless this is a dry run. Otherwise returns why the payment is not asked for: nothing is to be
 * done now, the payment alone is above the limit of a day, or what is left of the limit is less than the payment.
 */
export async function prepareAttempt(
  tx: Tx,
  { cipher, bankHolidays, latePaymentTermsOf }: AttemptDependencies,
  { due, now, isDryRun, day }: { due: DuePayment; now: Date; isDryRun: boolean; day: DailyLimit },
): Promise<Attempt | 'not now' | 'above limit' | 'limit reached'> {
  const { partnerId, quoteId, customerId, entryId } = due
  const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
  const entry = await findEntryToCollect(tx, partnerId, entryId, londonDate(now))
  const customer = await findCustomer(tx, cipher, { partnerId, now }, customerId)
  if (quote === undefined || entry === undefined || customer === undefined) return 'not now'
  const terms = await latePaymentTermsOf(tx, partnerId, entry.contractNumber)
  if (!mayCollect({ ...entry, lastError: customer.lastPaymentError }, londonDate(now))) return 'not now'

  // An attempt without a result is asked for again as it was, with the same key.
  const isRepeated = entry.status === 'submitted' && entry.attemptedCard !== null && entry.attemptedAt !== null
  const attempt = isRepeated
    ? { number: entry.attemptNumber, at: entry.attemptedAt ?? now, card: entry.attemptedCard ?? entry.setupIntentId }
    : { number: entry.attemptNumber + 1, at: now, card: entry.setupIntentId }
  // A repeated attempt counts once a day.
  const counts = isRepeated && entry.askedToday > 0 ? 0 : entry.amount
  if (entry.amount > day.limit) return 'above limit'
  if (day.asked + counts > day.limit) return 'limit reached'
  // A payment is `planned` until the processor has tried it: attempts for which it had no card use up no retry.
  const firstTry = entry.status === 'planned' && terms !== undefined
  const retryOn = isRepeated
    ? entry.retryOn
    : firstTry
      ? addWorkingDays(londonDate(now), terms.retryAfterWorkingDays, divisionOf(quote), bankHolidays)
      : null
  if (!isDryRun)
    await startAttempt(tx, partnerId, entryId, { ...attempt, retryOn, askedToday: entry.askedToday + counts })
  const payment = {
    ...{ entryId, customerId, quoteId, partnerId },
    amount: pence(entry.amount),
    description: entry.description,
    setupIntentId: attempt.card,
    card: isRepeated ? entry.cardOfAttempt : entry.card,
    attemptNumber: attempt.number,
    mayBeForgotten: now.getTime() - attempt.at.getTime() > keysLastMs,
  }
  return { payment, terms, counts: pence(counts) }
}

/** Adds the fee that the agreed terms set for a failed payment, if it is not one of the free ones. */
export async function addLateFee(
  tx: Tx,
  { cipher, bankHolidays }: { cipher: FieldCipher; bankHolidays: BankHolidays },
  { attempt: { terms }, due, now }: { attempt: Attempt; due: DuePayment; now: Date },
): Promise<void> {
  if (terms === undefined || terms.feePence === 0) return
  const { partnerId, quoteId, entryId: failed } = due
  const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
  const entry = await findEntryToCollect(tx, partnerId, failed, londonDate(now))
  if (quote === undefined || entry === undefined) return
  const { contractNumber } = entry
  if ((await findFailureNumber(tx, partnerId, { contractNumber, entryId: failed })) <= terms.freeFailures) return
  const dueOn = nextWorkingDay(addDays(londonDate(now), feeNoticeDays), divisionOf(quote), bankHolidays)
  await insertLateFee(tx, partnerId, { entryId: newId('entry'), failed, dueOn, amount: terms.feePence, now })
}

function divisionOf({ address }: Quote) {
  return divisionOfCountry(address.country)
}

/** What decides whether a payment that is due is asked for now. */
export interface DueEntry {
  status: LedgerStatus
  /** The setup intent of the card that the last attempt used; null before the first. */
  attemptedCard: string | null
  /** The setup intent of the card in use. */
  setupIntentId: string
  /** The day from which it is tried again, as the terms that the customer agreed to promise; null if it is not. */
  retryOn: IsoDate | null
  /** Why the customer's last payment failed; null if it did not. */
  lastError: PaymentErrorCode | null
}

/**
 * Whether to ask the processor now. A payment that failed is tried again once, as the terms that the customer agreed to
 * promise; then, or if the bank wants the customer to confirm it, only with a new card.
 */
export function mayCollect(
  { status, attemptedCard, setupIntentId, retryOn, lastError }: DueEntry,
  today: IsoDate,
): boolean {
  if (status === 'planned') return true
  if (attemptedCard === null) return false
  if (status === 'submitted') return true
  if (status !== 'failed') return false
  if (setupIntentId !== attemptedCard) return true
  return lastError !== 'authentication_required' && retryOn !== null && today >= retryOn
}
