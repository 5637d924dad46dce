import type { Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { recordCollectionTime, updatePaymentError } from '../../quoting/tenants/customers.store.ts'
import { changePaymentStatus, reportPaymentChange } from '../change-payment-status.ts'
import { findLedgerStatus } from '../ledger/payment-entries.store.ts'
import { hasIntentEnded, type SetupIntent } from '../payment-processor.ts'
import {
  type CommandSource,
  hasCollectionOutcome,
  isDefinitelyNewer,
  isNewDecline,
  judgeReport,
  type NoticeSource,
  paymentStatusOf,
  type ReportSource,
  type ReportVerdict,
  type ResponseSource,
} from './setup-intent-report.ts'
import {
  listSetupIntents,
  type StoredSetupIntent,
  scheduleCheckSoon,
  updateSetupIntent,
} from './setup-intents.store.ts'

/** What the processor reports about a customer's setup intent. */
interface SetupIntentReport {
  customerId: Id<'tenant'>
  intent: Omit<SetupIntent, 'clientSecret' | 'isCustomerDeleted'>
  now: Date
}

/** An intent that must be read from the processor, and its stored revision. */
export interface UncertainIntent {
  setupIntentId: string
  revision: number
}

/** An intent as read from the processor, and the revision that was stored at the time of the request. */
export interface IntentReading {
  intent: SetupIntent
  revision: number
}

/**
 * Records the processor's response, unless it is out of date (`judgeReport`). Returns the quote with the changed
 * tenant. The caller must hold the quote's row lock.
 */
export async function recordSetupIntent(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  report: SetupIntentReport & { source: ResponseSource | CommandSource },
): Promise<Quote> {
  const stored = await findStored(tx, quote, report)
  return stored === undefined ? quote : applyReport(tx, cipher, quote, stored, report)
}

/**
 * Records a notice. Repeated and late notices change nothing. If it is uncertain whether the notice is the newest, the
 * function does not record it. Instead, it schedules an early check, in case this process dies, and returns the intent.
 * The caller then reads the intent from the processor and calls this function again, passing what it read as `reading`.
 * If `reading` is still current, it is recorded instead of the notice. With `isFinal`, an uncertain notice is recorded
 * as it is, and a check is scheduled. The caller holds the quote's row lock.
 */
export async function recordSetupNotice(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  report: SetupIntentReport & { source: NoticeSource; reading: IntentReading | undefined; isFinal: boolean },
): Promise<UncertainIntent | undefined> {
  const stored = await findStored(tx, quote, report)
  if (stored === undefined) return undefined
  const { reading } = report
  if (reading !== undefined && (reading.revision === stored.revision || hasIntentEnded(reading.intent))) {
    await applyReport(tx, cipher, quote, stored, {
      ...report,
      intent: reading.intent,
      source: { by: 'response', revision: reading.revision },
    })
    return undefined
  }
  if (judge(quote, stored, report) === 'uncertain' && !report.isFinal) {
    await scheduleCheckSoon(tx, stored)
    return stored
  }
  await applyReport(tx, cipher, quote, stored, report)
  return undefined
}

/** A stored intent, and whether the card that it attached was replaced by another. */
interface FoundIntent extends StoredSetupIntent {
  isReplaced: boolean
}

async function findStored(tx: Tx, { partnerId }: Quote, report: SetupIntentReport): Promise<FoundIntent | undefined> {
  const intents = await listSetupIntents(tx, partnerId, report.customerId)
  const stored = intents.find(({ setupIntentId }) => setupIntentId === report.intent.setupIntentId)
  return stored && { ...stored, isReplaced: stored.status === 'succeeded' && intents[0] !== stored }
}

function judge(
  quote: Quote,
  stored: StoredSetupIntent,
  report: SetupIntentReport & { source: ReportSource },
): ReportVerdict {
  const tenant = quote.tenants.find(({ tenantId }) => tenantId === report.customerId)
  return tenant === undefined ? 'ignored' : judgeReport(stored, tenant.paymentStatus, report)
}

async function applyReport(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  stored: FoundIntent,
  report: SetupIntentReport & { source: ReportSource },
): Promise<Quote> {
  const { customerId, intent, source, now } = report
  const verdict = judge(quote, stored, report)
  if (verdict === 'ignored') return quote
  // If an intent has succeeded, a card is attached, even if an older report arrives later.
  if (verdict === 'attached') {
    if (stored.replacesCard || stored.isReplaced || hasOutcome(quote, customerId)) return quote
    return changePaymentStatus(tx, quote, customerId, 'ready', now)
  }
  await updateSetupIntent(tx, {
    partnerId: quote.partnerId,
    setupIntentId: intent.setupIntentId,
    status: intent.status,
    declinedAttempt: intent.lastAttemptFailed ? intent.latestAttempt : null,
    eventAt: source.by === 'notice' ? source.eventAt : null,
    now,
    nextCheck: verdict === 'uncertain' ? 'now' : isDefinitelyNewer(stored, source) ? 'in five minutes' : 'as planned',
  })
  if (stored.isReplaced) return quote
  return stored.replacesCard
    ? changeByReplacement(tx, cipher, quote, stored, report)
    : changeByFirstCard(tx, cipher, quote, stored, report)
}

/** Follows the state of the customer's first card until a payment is collected. */
async function changeByFirstCard(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  stored: StoredSetupIntent,
  { customerId, intent, now }: SetupIntentReport,
): Promise<Quote> {
  if (hasOutcome(quote, customerId)) return quote
  await updatePaymentError(tx, cipher, { partnerId: quote.partnerId, customerId }, intent.error)
  const isNews = isNewDecline(stored, intent)
  return changePaymentStatus(tx, quote, customerId, paymentStatusOf(intent), now, { isNews })
}

/**
 * Another card changes nothing until it is attached, except that each decline is reported. Then it is `ready`, unless a
 * payment is still failed or disputed.
 */
async function changeByReplacement(
  tx: Tx,
  cipher: FieldCipher,
  quote: Quote,
  stored: StoredSetupIntent,
  { customerId, intent, source, now }: SetupIntentReport & { source: ReportSource },
): Promise<Quote> {
  const isAttached = intent.status === 'succeeded'
  if (!isAttached && !isNewDecline(stored, intent)) return quote
  // A collection from before then, from the old card, no longer changes the status.
  if (isAttached && source.by === 'notice') await recordCollectionTime(tx, quote.partnerId, customerId, source.eventAt)
  await updatePaymentError(tx, cipher, { partnerId: quote.partnerId, customerId }, intent.error)
  if (!isAttached) return reportPaymentChange(tx, quote, customerId, now)
  const hasFailed = (await findLedgerStatus(tx, quote.partnerId, customerId)) === 'failed'
  return changePaymentStatus(tx, quote, customerId, hasFailed ? 'failed' : 'ready', now, { isNews: true })
}

function hasOutcome(quote: Quote, customerId: Id<'tenant'>): boolean {
  const tenant = quote.tenants.find((each) => each.tenantId === customerId)
  return tenant === undefined || hasCollectionOutcome(tenant.paymentStatus)
}
