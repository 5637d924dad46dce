import type { Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { recordCollectionTime, updatePaymentError } from '../../quoting/tenants/customers.store.ts'
import { changeToLedgerStatus, reportPaymentChange } from '../change-payment-status.ts'
import type { CollectionNotice, PaymentNotice } from '../payment-processor.ts'
import { markOrderFailed } from '../refunding/refunding.store.ts'
import { findEntryOfPayment, findEntryOfReversal, markEntryAttempted } from './payment-entries.store.ts'
import { type Correction, insertPaymentReport, isPaymentToRecord } from './payment-reports.store.ts'
import { recount } from './recount.ts'

/**
 * Records what the processor reports about a payment, once: in the ledger and, unless a later attempt is already
 * recorded, in the payment status, with an event. A dispute makes the status `failed`. Records nothing about an erased
 * customer. Returns the quote with the changed tenant. The caller holds the quote's row lock.
 */
export async function recordPayment(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  customerId: Id<'tenant'>,
  notice: PaymentNotice,
  now: Date,
  correction?: Correction,
): Promise<Quote> {
  const { partnerId } = quote
  if (!(await isPaymentToRecord(tx, { partnerId, customerId }, notice))) return quote
  const entryId =
    notice.kind === 'collection'
      ? await markAttempt(tx, cipher, { partnerId, customerId }, notice)
      : await findEntryOfReversal(tx, partnerId, notice.paymentId)
  const subjectId = notice.kind === 'reversal' ? notice.subjectId : null
  const namedEntryId = notice.kind === 'collection' ? notice.entryId : null
  await insertPaymentReport(tx, { ...notice, partnerId, customerId, subjectId, entryId, namedEntryId }, correction)
  if (notice.kind === 'reversal' && notice.outcome === 'refund_failed' && notice.subjectId !== null)
    await markOrderFailed(tx, partnerId, notice.subjectId)
  const changed = entryId === undefined || (await recount(tx, partnerId, entryId, { now }))
  // A refund is reported on its own and in the payment's total: the second report changes nothing.
  if (notice.kind === 'reversal') return changed ? reportPaymentChange(tx, quote, customerId, now) : quote
  const isLatest = await recordCollectionTime(tx, partnerId, customerId, notice.occurredAt)
  if (!isLatest) return changeToLedgerStatus(tx, quote, customerId, now, { isNews: false })
  await updatePaymentError(tx, cipher, { partnerId, customerId }, notice.error)
  return reportPaymentChange(tx, quote, customerId, now)
}

async function markAttempt(
  tx: Tx,
  cipher: FieldCipher,
  payer: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  notice: CollectionNotice,
): Promise<Id<'entry'> | undefined> {
  const entryId = await findEntryOfPayment(tx, payer, notice)
  if (entryId !== undefined) await markEntryAttempted(tx, cipher, payer.partnerId, entryId, notice)
  return entryId
}
