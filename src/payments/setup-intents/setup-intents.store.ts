import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Database, Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type CardDetails, hasIntentEnded, type ReadCard, type SetupIntentStatus } from '../payment-processor.ts'

const cardColumn = 'setup_intents.card'

export interface StoredSetupIntent {
  setupIntentId: string
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  processorCustomerId: string
  status: SetupIntentStatus
  /** The time of the change that the last notice reported, on the processor's clock (whole seconds). */
  lastEventAt: Date | null
  /** When we last recorded a response from the processor, on our clock. */
  lastResponseAt: Date | null
  /** The lock of the quote has ended, so the intent must not be used again but cancelled at the processor. */
  cancelWanted: boolean
  /** Increases whenever a report from the processor is recorded. */
  revision: number
  /** Whether this intent is for another card, while one is attached. */
  replacesCard: boolean
  /** The processor's id of the last attempt that was declined. */
  declinedAttempt: string | null
  /** Whether the details of the attached card are stored. */
  hasCard: boolean
  /** The processor's id of the attached card, stored with its details. */
  paymentMethodId: string | null
}

const intentColumns = sql`
  s.setup_intent_id as "setupIntentId", s.customer_id as "customerId", c.quote_id as "quoteId",
  s.partner_id as "partnerId",
  s.processor_customer_id as "processorCustomerId", s.status, s.last_event_at as "lastEventAt",
  s.last_response_at as "lastResponseAt", s.cancel_wanted as "cancelWanted", s.revision,
  s.replaces_card as "replacesCard",
  s.declined_attempt as "declinedAttempt", s.card_encrypted is not null as "hasCard", s.payment_method_id as "paymentMethodId"`

/**
 * The customer's intents. First the one whose card is in use or, if there is none, the open one; then an open
 * replacement; cancelled ones last.
 */
export function listSetupIntents(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<StoredSetupIntent[]> {
  return db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (partner_id, customer_id)
     where s.partner_id = ${partnerId} and s.customer_id = ${customerId}
     order by (s.status = 'canceled'), (s.replaces_card and s.status <> 'succeeded'), s.created_at desc`)
}

/** The open and succeeded intents of a quote's tenants, without cancelled intents. */
export function listUncancelledSetupIntents(
  db: Queryable,
  partnerId: Id<'partner'>,
  quoteId: Id<'quote'>,
): Promise<StoredSetupIntent[]> {
  return db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (partner_id, customer_id)
     where s.partner_id = ${partnerId} and c.quote_id = ${quoteId} and s.status <> 'canceled'`)
}

/** One of the partner's intents, by its id at the processor. */
export async function findSetupIntent(
  db: Queryable,
  partnerId: Id<'partner'>,
  setupIntentId: string,
): Promise<StoredSetupIntent | undefined> {
  const [row] = await db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (partner_id, customer_id)
     where s.partner_id = ${partnerId} and s.setup_intent_id = ${setupIntentId}`)
  return row
}

/** The owner of an intent. Needed because processor notices do not name the partner. */
export async function findSetupIntentOwner(
  db: Queryable,
  setupIntentId: string,
): Promise<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> } | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> }>(sql`
    select s.partner_id as "partnerId", c.quote_id as "quoteId", s.customer_id as "customerId"
      from setup_intents s join customers c using (partner_id, customer_id) where s.setup_intent_id = ${setupIntentId}`)
  return row
}

/** The owner of a processor customer. Needed because notices of collections do not name the partner. */
export async function findProcessorCustomerOwner(
  db: Queryable,
  processorCustomerId: string,
): Promise<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> } | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> }>(sql`
    select s.partner_id as "partnerId", c.quote_id as "quoteId", s.customer_id as "customerId"
      from setup_intents s join customers c using (partner_id, customer_id)
     where s.processor_customer_id = ${processorCustomerId} order by s.created_at desc limit 1`)
  return row
}

/** Stores a new open intent. Returns false and changes nothing if a concurrent request has already stored it. */
export async function insertSetupIntent(
  tx: Tx,
  intent: Omit<
    StoredSetupIntent,
    | 'quoteId'
    | 'lastEventAt'
    | 'lastResponseAt'
    | 'cancelWanted'
    | 'revision'
    | 'declinedAttempt'
    | 'hasCard'
    | 'paymentMethodId'
  > & { now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into setup_intents (setup_intent_id, customer_id, partner_id, processor_customer_id, status, replaces_card,
                               created_at, updated_at)
    values (${intent.setupIntentId}, ${intent.customerId}, ${intent.partnerId}, ${intent.processorCustomerId},
            ${intent.status}, ${intent.replacesCard}, ${intent.now}, ${intent.now})
    on conflict (setup_intent_id, partner_id) do nothing returning 1`)
  return rows.length === 1
}

/**
 * When to check the intent with the processor next: in five minutes, now (to confirm an uncertain report), or as
 * planned but within five minutes.
 */
type NextCheck = 'in five minutes' | 'now' | 'as planned'

const nextCheckAt = {
  'in five minutes': sql`clock_timestamp() + interval '5 minutes'`,
  now: sql`clock_timestamp()`,
  'as planned': sql`least(retry_at, clock_timestamp() + interval '5 minutes')`,
} satisfies Record<NextCheck, Sql>

/** Stores an intent's state. */
export async function updateSetupIntent(
  tx: Tx,
  intent: {
    partnerId: Id<'partner'>
    setupIntentId: string
    status: SetupIntentStatus
    /** The attempt that was declined, if this report is about one; null keeps the last one. */
    declinedAttempt: string | null
    /** When the change happened, according to the notice; null if the state comes from a response to our request. */
    eventAt: Date | null
    now: Date
    nextCheck: NextCheck
  },
): Promise<void> {
  await tx.query(sql`
    update setup_intents set status = ${intent.status}, declined_attempt = coalesce(${intent.declinedAttempt},
      declined_attempt), last_event_at = greatest(last_event_at, ${intent.eventAt}), updated_at = ${intent.now},
           last_response_at = case when ${intent.eventAt === null} then clock_timestamp() else last_response_at
           end, revision = revision + 1,
           retry_at = ${nextCheckAt[intent.nextCheck]}, attempt_count = 0, cancel_wanted = cancel_wanted
               and ${!hasIntentEnded(intent)}
     where partner_id = ${intent.partnerId} and setup_intent_id = ${intent.setupIntentId}`)
}

/** Marks the unfinished intents of a quote's tenants, so that the job that checks intents cancels them. */
export async function markOpenIntentsForCancellation(
  tx: Tx,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
): Promise<void> {
  await tx.query(sql`
    update setup_intents s set cancel_wanted = true, retry_at = clock_timestamp(), attempt_count = 0 from customers c
     where s.partner_id = ${partnerId} and c.partner_id = s.partner_id and c.customer_id = s.customer_id
       and c.quote_id = ${quoteId} and s.status not in ('succeeded', 'canceled') and not s.replaces_card`)
}

/** Schedules a check of the intent within a minute. */
export async function scheduleCheckSoon(
  tx: Tx,
  { partnerId, setupIntentId }: Pick<StoredSetupIntent, 'partnerId' | 'setupIntentId'>,
): Promise<void> {
  await tx.query(sql`
    update setup_intents set retry_at = least(retry_at, clock_timestamp() + interval '1 minute')
     where partner_id = ${partnerId} and setup_intent_id = ${setupIntentId}`)
}

/** How many households of a partner can have one card before the operator looks at it. */
const mostHouseholdsOfCard = 3
/** How many of the latest uses of a card are looked at: a sandbox has thousands of one test card. */
const lookedAtOfCard = 20

/**
 * Stores what is shown of the card that an intent attached, and notes when it is the card of a fourth household of the
 * partner. Returns false and changes nothing if it is stored already.
 */
export async function updateCard(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  { partnerId, setupIntentId, card }: { partnerId: Id<'partner'>; setupIntentId: string; card: ReadCard },
): Promise<boolean> {
  const { fingerprint = null, paymentMethodId, ...shown } = card
  const encrypted = cipher.encrypt(JSON.stringify(shown), { column: cardColumn, row: setupIntentId })
  const stored = await tx.query(sql`
    update setup_intents s set card_encrypted = ${encrypted}, payment_method_id = ${paymentMethodId},
           card_fingerprint = ${fingerprint},
           card_shared_at = (
             select now()
               from (select * from setup_intents other
                      where other.partner_id = ${partnerId} and other.card_fingerprint = ${fingerprint}
                        and other.setup_intent_id <> ${setupIntentId}
                      order by other.created_at desc limit ${lookedAtOfCard}) o
               join customers c on c.partner_id = o.partner_id and c.customer_id = o.customer_id
              where c.quote_id <> (select own.quote_id from customers own
                                    where own.partner_id = s.partner_id and own.customer_id = s.customer_id)
             having count(distinct c.quote_id) >= ${mostHouseholdsOfCard}
                and coalesce(max(o.card_shared_at) < now() - interval '30 days', true))
     where s.partner_id = ${partnerId} and s.setup_intent_id = ${setupIntentId} and s.status = 'succeeded'
       and s.card_encrypted is null
    returning 1`)
  return stored.length > 0
}

/** The card in use; null if none is attached, the processor no longer has it, or its details are not known yet. */
export async function findCardInUse(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<CardDetails | null> {
  const [row] = await db.query<{ setupIntentId: string; encrypted: string | null; isMissing: boolean }>(sql`
    select setup_intent_id as "setupIntentId", card_encrypted as encrypted, card_missing as "isMissing"
     from setup_intents
     where partner_id = ${partnerId} and customer_id = ${customerId} and status = 'succeeded'
     order by created_at desc limit 1`)
  return row === undefined || row.isMissing || row.encrypted === null
    ? null
    : decryptCard(cipher, row.setupIntentId, row.encrypted)
}

/** Decrypts the card of an intent's row. */
export function decryptCard(cipher: FieldCipher, setupIntentId: string, encrypted: string): CardDetails {
  return JSON.parse(
    cipher.decrypt(encrypted, { column: cardColumn, row: setupIntentId }).toString('utf8'),
  ) as CardDetails
}

/**
 * A setup intent that is due for a check with the processor: it is open, or the card that it attached is not known yet.
 */
export interface IntentToCheck {
  setupIntentId: string
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  revision: number
  /** True if the intent has succeeded, and only its card is missing. */
  needsCard: boolean
  /** True if the lock of its quote ended while it was unfinished. */
  isToCancel: boolean
  /** How many checks have run since the processor last reported a change. */
  checkCount: number
}

/**
 * Claims up to `batch` intents that are due for a check, across all partners, longest overdue first. Schedules the next
 * check of each intent for five minutes from now. Until then, no other process checks it; after that, the check is
 * retried if this process died or the processor was down.
 */
export function claimIntentsToCheck(db: Database, batch: number): Promise<IntentToCheck[]> {
  return db.query<IntentToCheck>(sql`
    with due as (
      select setup_intent_id, partner_id, retry_at as was_due_at from setup_intents
       where (status not in ('succeeded', 'canceled') or (status = 'succeeded' and card_encrypted is null))
         and retry_at <= statement_timestamp()
       order by retry_at limit ${batch} for update skip locked),
    claimed as (
      update setup_intents s set retry_at = clock_timestamp() + interval '5 minutes'
        from due where s.partner_id = due.partner_id and s.setup_intent_id = due.setup_intent_id
      returning s.setup_intent_id, s.customer_id, s.partner_id, s.revision, s.attempt_count,
                s.status = 'succeeded' as needs_card, s.cancel_wanted, due.was_due_at)
    select claimed.setup_intent_id as "setupIntentId", customer_id as "customerId", c.quote_id as "quoteId",
           partner_id as "partnerId", claimed.revision, claimed.needs_card as "needsCard",
           claimed.cancel_wanted as "isToCancel", claimed.attempt_count as "checkCount"
      from claimed join customers c using (partner_id, customer_id) order by claimed.was_due_at`)
}

/**
 * Records that an intent was checked, and schedules the next check. The interval doubles each time, up to a week. If
 * the condition 'unless changed' is given and the intent has changed since it was claimed, does nothing, because that
 * change already scheduled the next check.
 */
export async function recordIntentCheck(
  db: Queryable,
  { partnerId, setupIntentId, revision, checkCount }: IntentToCheck,
  condition?: 'unless changed',
): Promise<void> {
  const unlessChanged = condition === undefined ? empty : sql`and revision = ${revision}`
  await db.query(sql`
    update setup_intents
       set attempt_count = ${checkCount + 1},
           retry_at = clock_timestamp() + least(interval '5 minutes' * power(2, least(${checkCount + 1}::int, 20)),
                                                interval '7 days')
     where partner_id = ${partnerId} and setup_intent_id = ${setupIntentId} ${unlessChanged}`)
}
