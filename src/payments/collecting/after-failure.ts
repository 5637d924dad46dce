import type { LatePaymentTerms } from '../../contracts/terms/fee-terms.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PaymentErrorCode } from '../payment-error.ts'
import { mayCollect } from './attempts.ts'
import { findEntryToCollect, findFailureNumber } from './collecting.store.ts'

/** What follows a payment that failed. Fees are in pence and include VAT. */
export interface AfterFailure {
  /** The day of the next try; null if there is none until the tenant adds another card. */
  retryOn: IsoDate | null
  /** What this failure costs. */
  fee: number
  /** What the next payment that fails costs. */
  nextFee: number
}

/**
 * What follows the failure of a payment, by the terms that the customer agreed to. Undefined if it is not open any
 * more, or if somebody else collects it: then nothing is known here of another try or a fee.
 */
export async function findAfterFailure(
  db: Queryable,
  about: {
    partnerId: Id<'partner'>
    entryId: Id<'entry'>
    terms: LatePaymentTerms | undefined
    lastError: PaymentErrorCode | null
    now: Date
  },
): Promise<AfterFailure | undefined> {
  const { partnerId, entryId, terms, lastError, now } = about
  const today = londonDate(now)
  const entry = await findEntryToCollect(db, partnerId, entryId, today)
  if (entry?.status !== 'failed' || entry.attemptedCard === null) return undefined
  const failures = await findFailureNumber(db, partnerId, { contractNumber: entry.contractNumber, entryId })
  const feeOf = (failure: number) => (terms === undefined || failure <= terms.freeFailures ? 0 : terms.feePence)
  const next = mayCollect({ ...entry, lastError }, today) ? today : entry.retryOn
  return {
    retryOn: next !== null && mayCollect({ ...entry, lastError }, next) ? next : null,
    fee: feeOf(failures),
    nextFee: feeOf(failures + 1),
  }
}
