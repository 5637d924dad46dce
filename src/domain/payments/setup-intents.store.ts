import type { Queryable, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'
import type { SetupIntentStatus } from './payment-processor.ts'

export interface StoredSetupIntent {
  setupIntentId: string
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  processorCustomerId: string
  status: SetupIntentStatus
  /** When what the last notice told of happened, by the processor's clock: whole seconds. */
  lastEventAt: Date | null
  /** When its answer to a question of ours was last written down, by our clock. */
  lastAnswerAt: Date | null
  /** Rises with everything that is heard of it. */
  revision: number
}

const intentColumns = sql`
  s.setup_intent_id as "setupIntentId", s.customer_id as "customerId", c.quote_id as "quoteId", s.partner_id as "partnerId",
  s.processor_customer_id as "processorCustomerId", s.status, s.last_event_at as "lastEventAt",
  s.last_answer_at as "lastAnswerAt", s.revision`

/** The customer's intents, the open one (there is at most one) first. */
export function listSetupIntents(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<StoredSetupIntent[]> {
  return db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (customer_id)
     where s.partner_id = ${partnerId} and s.customer_id = ${customerId}
     order by (s.status = 'canceled'), s.created_at desc`)
}

/** The open intents of a quote's tenants: those a card may still be attached with, and those that succeeded. */
export function listOpenSetupIntents(
  db: Queryable,
  partnerId: Id<'partner'>,
  quoteId: Id<'quote'>,
): Promise<StoredSetupIntent[]> {
  return db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (customer_id)
     where s.partner_id = ${partnerId} and c.quote_id = ${quoteId} and s.status <> 'canceled'`)
}

/** One of the partner's intents, by the processor's id. */
export async function findSetupIntent(
  db: Queryable,
  partnerId: Id<'partner'>,
  setupIntentId: string,
): Promise<StoredSetupIntent | undefined> {
  const [row] = await db.query<StoredSetupIntent>(sql`
    select ${intentColumns} from setup_intents s join customers c using (customer_id)
     where s.partner_id = ${partnerId} and s.setup_intent_id = ${setupIntentId}`)
  return row
}

/** Whose intent it is: the way in for the processor's notices, which name no partner. */
export async function findSetupIntentOwner(
  db: Queryable,
  setupIntentId: string,
): Promise<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> } | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> }>(sql`
    select s.partner_id as "partnerId", c.quote_id as "quoteId", s.customer_id as "customerId"
      from setup_intents s join customers c using (customer_id) where s.setup_intent_id = ${setupIntentId}`)
  return row
}

/** Whose processor customer it is, likewise. */
export async function findProcessorCustomerOwner(
  db: Queryable,
  processorCustomerId: string,
): Promise<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> } | undefined> {
  const [row] = await db.query<{ partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'> }>(sql`
    select s.partner_id as "partnerId", c.quote_id as "quoteId", s.customer_id as "customerId"
      from setup_intents s join customers c using (customer_id)
     where s.processor_customer_id = ${processorCustomerId} order by s.created_at desc limit 1`)
  return row
}

/** Stores a new open intent; returns false for one that is stored already (another call was faster), which is left as it is. */
export async function insertSetupIntent(
  tx: Tx,
  intent: Omit<StoredSetupIntent, 'quoteId' | 'lastEventAt' | 'lastAnswerAt' | 'revision'> & { now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into setup_intents (setup_intent_id, customer_id, partner_id, processor_customer_id, status, created_at, updated_at)
    values (${intent.setupIntentId}, ${intent.customerId}, ${intent.partnerId}, ${intent.processorCustomerId}, ${intent.status}, ${intent.now}, ${intent.now})
    on conflict (setup_intent_id) do nothing returning 1`)
  return rows.length === 1
}

/**
 * When the processor is asked next, now that it was heard: after five minutes of silence; at once, to make sure of what it said; or no
 * later than was planned before.
 */
type NextAsked = 'after silence' | 'at once' | 'as planned'

const untilAsked = {
  'after silence': sql`clock_timestamp() + interval '5 minutes'`,
  'at once': sql`clock_timestamp()`,
  'as planned': sql`least(ask_after, clock_timestamp() + interval '5 minutes')`,
} satisfies Record<NextAsked, Sql>

/** Writes down how an intent stands. */
export async function updateSetupIntent(
  tx: Tx,
  intent: {
    partnerId: Id<'partner'>
    setupIntentId: string
    status: SetupIntentStatus
    /** Null for an answer to a question or a step of ours. */
    eventAt: Date | null
    now: Date
    nextAsked: NextAsked
  },
): Promise<void> {
  await tx.query(sql`
    update setup_intents set status = ${intent.status}, last_event_at = greatest(last_event_at, ${intent.eventAt}), updated_at = ${intent.now},
           last_answer_at = case when ${intent.eventAt === null} then clock_timestamp() else last_answer_at end, revision = revision + 1,
           ask_after = ${untilAsked[intent.nextAsked]}, asked_count = 0
     where partner_id = ${intent.partnerId} and setup_intent_id = ${intent.setupIntentId}`)
}

/** In a minute the processor is asked about an intent, if nobody has by then. */
export async function askSoon(
  tx: Tx,
  { partnerId, setupIntentId }: Pick<StoredSetupIntent, 'partnerId' | 'setupIntentId'>,
): Promise<void> {
  await tx.query(sql`
    update setup_intents set ask_after = least(ask_after, clock_timestamp() + interval '1 minute')
     where partner_id = ${partnerId} and setup_intent_id = ${setupIntentId}`)
}
