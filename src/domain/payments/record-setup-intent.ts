import type { Tx } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Quote } from '../quotes/quote.ts'
import { changePaymentStatus } from './change-payment-status.ts'
import type { SetupIntent } from './payment-processor.ts'
import {
  type CommandSource,
  isDefinitelyNewer,
  judgeReport,
  type NoticeSource,
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
import { hasCollectionOutcome, hasIntentEnded, paymentStatusOf } from './setup-outcome.ts'

/** What the processor reports about a customer's setup intent. */
interface SetupIntentReport {
  customerId: Id<'tenant'>
  intent: Omit<SetupIntent, 'clientSecret'>
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
 * Records the processor's response, unless it is out of date (`judgeReport`). Returns the quote with the changed tenant. The caller
 * must hold the quote's lock.
 */
export async function recordSetupIntent(
  tx: Tx,
  quote: Quote,
  report: SetupIntentReport & { source: ResponseSource | CommandSource },
): Promise<Quote> {
  const stored = await findStored(tx, quote, report)
  return stored === undefined ? quote : applyReport(tx, quote, stored, report)
}

/**
 * Records a notice. Repeated and late notices change nothing. If it is uncertain whether the notice is the newest, the function does
 * not record it. Instead, it schedules an early check, in case this process dies, and returns the intent. The caller then reads the
 * intent from the processor and calls this function again, passing what it read as `reading`. If `reading` is still current, it is
 * recorded instead of the notice. With `isFinal`, an uncertain notice is recorded as it is, and a check is scheduled. The caller
 * holds the quote's lock.
 */
export async function recordSetupNotice(
  tx: Tx,
  quote: Quote,
  report: SetupIntentReport & { source: NoticeSource; reading: IntentReading | undefined; isFinal: boolean },
): Promise<UncertainIntent | undefined> {
  const stored = await findStored(tx, quote, report)
  if (stored === undefined) return undefined
  const { reading } = report
  if (reading !== undefined && (reading.revision === stored.revision || hasIntentEnded(reading.intent))) {
    await applyReport(tx, quote, stored, {
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
  await applyReport(tx, quote, stored, report)
  return undefined
}

async function findStored(
  tx: Tx,
  { partnerId }: Quote,
  report: SetupIntentReport,
): Promise<StoredSetupIntent | undefined> {
  const intents = await listSetupIntents(tx, partnerId, report.customerId)
  return intents.find(({ setupIntentId }) => setupIntentId === report.intent.setupIntentId)
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
  quote: Quote,
  stored: StoredSetupIntent,
  report: SetupIntentReport & { source: ReportSource },
): Promise<Quote> {
  const { customerId, intent, source, now } = report
  const verdict = judge(quote, stored, report)
  if (verdict === 'ignored') return quote
  // If an intent has succeeded, a card is attached, even if an older report arrives later.
  if (verdict === 'attached') return changeUnlessCollected(tx, quote, customerId, 'ready', now)
  await updateSetupIntent(tx, {
    partnerId: quote.partnerId,
    setupIntentId: intent.setupIntentId,
    status: intent.status,
    eventAt: source.by === 'notice' ? source.eventAt : null,
    now,
    nextCheck: verdict === 'uncertain' ? 'now' : isDefinitelyNewer(stored, source) ? 'in five minutes' : 'as planned',
  })
  return changeUnlessCollected(tx, quote, customerId, paymentStatusOf(intent), now)
}

async function changeUnlessCollected(
  tx: Tx,
  quote: Quote,
  customerId: Id<'tenant'>,
  to: Parameters<typeof changePaymentStatus>[3],
  now: Date,
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === customerId)
  if (tenant === undefined || hasCollectionOutcome(tenant.paymentStatus)) return quote
  return changePaymentStatus(tx, quote, customerId, to, now)
}
