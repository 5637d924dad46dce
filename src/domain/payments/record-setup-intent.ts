import type { Tx } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Quote } from '../quotes/quote.ts'
import { movePayment } from './move-payment.ts'
import type { SetupIntent } from './payment-processor.ts'
import {
  type Answered,
  isSurelyLast,
  type Judgement,
  judgeNews,
  type Noticed,
  type Stepped,
  type Told,
} from './setup-intent-news.ts'
import { askSoon, listSetupIntents, type StoredSetupIntent, updateSetupIntent } from './setup-intents.store.ts'
import { hasEnded, isCollecting, paymentStatusOf } from './setup-outcome.ts'

/** What the processor reports about a customer's setup intent. */
interface SetupNews {
  customerId: Id<'tenant'>
  intent: Omit<SetupIntent, 'clientSecret'>
  now: Date
}

/** An intent that must be read from the processor, at the revision we know. */
export interface Doubt {
  setupIntentId: string
  revision: number
}

/** The intent as read from the processor, and the revision we had stored then. */
export interface Asked {
  intent: SetupIntent
  revision: number
}

/**
 * Records the processor's response, unless it is out of date (`judgeReport`). Returns the quote with the changed tenant. The caller
 * holds the quote's lock.
 */
export async function recordSetupIntent(
  tx: Tx,
  quote: Quote,
  news: SetupNews & { told: Answered | Stepped },
): Promise<Quote> {
  const stored = await findStored(tx, quote, news)
  return stored === undefined ? quote : takeIn(tx, quote, stored, news)
}

/**
 * Records a notice; repeated and late ones change nothing. If its order is uncertain, changes nothing and returns the intent to
 * read from the processor; a check is also scheduled within two minutes in case this process dies. Call it again with the result in
 * `reading`, which is recorded instead of the notice if it is still current. With `isFinal`, records an uncertain notice as it is
 * and schedules a check. The caller holds the quote's lock.
 */
export async function recordSetupNotice(
  tx: Tx,
  quote: Quote,
  news: SetupNews & { told: Noticed; asked: Asked | undefined; isLastWord: boolean },
): Promise<Doubt | undefined> {
  const stored = await findStored(tx, quote, news)
  if (stored === undefined) return undefined
  const { asked } = news
  if (asked !== undefined && (asked.revision === stored.revision || hasEnded(asked.intent))) {
    await takeIn(tx, quote, stored, { ...news, intent: asked.intent, told: { by: 'answer', revision: asked.revision } })
    return undefined
  }
  if (judge(quote, stored, news) === 'doubtful' && !news.isLastWord) {
    await askSoon(tx, stored)
    return stored
  }
  await takeIn(tx, quote, stored, news)
  return undefined
}

async function findStored(tx: Tx, { partnerId }: Quote, news: SetupNews): Promise<StoredSetupIntent | undefined> {
  const intents = await listSetupIntents(tx, partnerId, news.customerId)
  return intents.find(({ setupIntentId }) => setupIntentId === news.intent.setupIntentId)
}

function judge(quote: Quote, stored: StoredSetupIntent, news: SetupNews & { told: Told }): Judgement {
  const tenant = quote.tenants.find(({ tenantId }) => tenantId === news.customerId)
  return tenant === undefined ? 'nothing' : judgeNews(stored, tenant.paymentStatus, news)
}

async function takeIn(
  tx: Tx,
  quote: Quote,
  stored: StoredSetupIntent,
  news: SetupNews & { told: Told },
): Promise<Quote> {
  const { customerId, intent, told, now } = news
  const judgement = judge(quote, stored, news)
  if (judgement === 'nothing') return quote
  // A succeeded intent means that a card is attached, whatever older report still arrives.
  if (judgement === 'attached') return moveUnlessCollecting(tx, quote, customerId, 'ready', now)
  await updateSetupIntent(tx, {
    partnerId: quote.partnerId,
    setupIntentId: intent.setupIntentId,
    status: intent.status,
    eventAt: told.by === 'notice' ? told.eventAt : null,
    now,
    nextAsked: judgement === 'doubtful' ? 'at once' : isSurelyLast(stored, told) ? 'after silence' : 'as planned',
  })
  return moveUnlessCollecting(tx, quote, customerId, paymentStatusOf(intent), now)
}

async function moveUnlessCollecting(
  tx: Tx,
  quote: Quote,
  customerId: Id<'tenant'>,
  to: Parameters<typeof movePayment>[3],
  now: Date,
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === customerId)
  if (tenant === undefined || isCollecting(tenant.paymentStatus)) return quote
  return movePayment(tx, quote, customerId, to, now)
}
