import { partnersDay } from '../../partners/partners.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { LedgerStatus } from '../ledger/ledger-status.ts'
import { isBeingChecked } from '../ledger/payment-reports.store.ts'
import type { PaymentToTake } from '../payment-processor.ts'
import { fellUnderHold, isHeldOn } from './holds.store.ts'

/** A payment of any partner that is due. Amounts are in pence. */
export interface DuePayment {
  entryId: Id<'entry'>
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
  dueOn: IsoDate
  amount: number
  clockOffsetSeconds: number
}

/**
 * Payments of all partners that are due on their clocks, and not before `from`, after a position, by due date: `now` is
 * real time. They are of contracts that are or were in force and customers with a card. Leaves out what somebody else submitted, what is being
 * checked or held, and failures that are not to be tried again yet or after which only a new card helps.
 */
export function listDuePayments(
  system: Queryable,
  { now, from, after, limit }: { now: Date; from: IsoDate; after: DuePayment | undefined; limit: number },
): Promise<DuePayment[]> {
  const partnersToday = partnersDay(now)
  return system.query<DuePayment>(sql`
    select e.entry_id as "entryId", e.partner_id as "partnerId", c.quote_id as "quoteId", e.customer_id as "customerId",
           e.due_on::text as "dueOn", e.amount_pence::float8 as amount,
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from payment_entries e
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
      join contracts k on k.partner_id = e.partner_id and k.contract_number = e.contract_number
      join partners p on p.partner_id = e.partner_id
      cross join lateral (select s.setup_intent_id, s.card_missing from setup_intents s
                           where s.partner_id = e.partner_id and s.customer_id = e.customer_id
                             and s.status = 'succeeded'
                           order by s.created_at desc limit 1) card
     where e.status in ('planned', 'submitted', 'failed') and e.kind <> 'refund' and e.amount_pence > 0
       and e.due_on > '-infinity' and e.due_on >= ${from}::date
       and e.due_on <= ${partnersToday}
       and not ${isBeingChecked} and not ${isHeldOn(partnersToday)} and k.effective_at is not null and c.processor_customer_id is not null
       and not card.card_missing
       and (e.status = 'planned' or (e.attempt_number > 0 and (e.status = 'submitted' or e.retry_on <= ${partnersToday}
                                                               or card.setup_intent_id <> e.attempted_card)))
       ${after === undefined ? empty : sql`and (e.due_on, e.entry_id) > (${after.dueOn}::date, ${after.entryId})`}
     order by e.due_on, e.entry_id limit ${limit}`)
}

/**
 * How much Housebill asked the processor for since midnight in London, in pence, whatever came of it. Real days count,
 * not those of a sandbox clock.
 */
export async function sumAskedToday(system: Queryable): Promise<number> {
  const [row] = await system.query<{ asked: number }>(sql`
    select coalesce(sum(asked_pence), 0)::float8 as asked from payment_entries where asked_on = ${todayInLondon}`)
  return row?.asked ?? 0
}

const todayInLondon = sql`(now() at time zone 'Europe/London')::date`

/** What decides whether the payment is asked for, and with which card. */
interface EntryToCollect {
  status: LedgerStatus
  attemptNumber: number
  attemptedAt: Date | null
  attemptedCard: string | null
  retryOn: IsoDate | null
  amount: number
  /** What this day's limit has counted of the entry already, in pence. */
  askedToday: number
  description: string
  contractNumber: string
  setupIntentId: string
  /** The card in use; null if it was not read yet. */
  card: PaymentToTake['card']
  /** The card of `attemptedCard`. */
  cardOfAttempt: PaymentToTake['card']
}

/** What the processor charges: the card of an intent, once it was read. */
const cardOf = (intent: Sql) => sql`
  case when ${intent}.payment_method_id is not null then jsonb_build_object(
    'processorCustomerId', ${intent}.processor_customer_id, 'paymentMethodId', ${intent}.payment_method_id) end`

/** The partner's entry with the customer's card in use; undefined if it is no longer to be collected on this day. */
export async function findEntryToCollect(
  tx: Queryable,
  partnerId: Id<'partner'>,
  entryId: Id<'entry'>,
  today: IsoDate,
): Promise<EntryToCollect | undefined> {
  const [row] = await tx.query<EntryToCollect>(sql`
    select e.status, e.attempt_number as "attemptNumber", e.attempted_at as "attemptedAt",
           e.attempted_card as "attemptedCard", e.retry_on::text as "retryOn",
           e.amount_pence::float8 as amount, case when e.asked_on = ${todayInLondon} then e.asked_pence else 0
           end::float8 as "askedToday",
           e.description, e.contract_number as "contractNumber",
           s.setup_intent_id as "setupIntentId", ${cardOf(sql`s`)} as card, ${cardOf(sql`a`)} as "cardOfAttempt"
      from payment_entries e
      join customers c on c.partner_id = e.partner_id and c.customer_id = e.customer_id
          and c.processor_customer_id is not null
      cross join lateral (select setup_intent_id, card_missing, processor_customer_id, payment_method_id
                            from setup_intents
                           where partner_id = e.partner_id and customer_id = e.customer_id and status = 'succeeded'
                           order by created_at desc limit 1) s
      left join setup_intents a on a.partner_id = e.partner_id and a.setup_intent_id = e.attempted_card
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId} and e.status in ('planned', 'submitted', 'failed')
       and not s.card_missing and not ${isBeingChecked} and not ${isHeldOn(sql`${today}::date`)}`)
  return row
}

/** Stores an attempt before the processor is asked, and how much of the entry counts towards the limit of this day. */
export async function startAttempt(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: Id<'entry'>,
  attempt: { number: number; at: Date; card: string; retryOn: IsoDate | null; askedToday: number },
): Promise<void> {
  await tx.query(sql`
    update payment_entries
       set status = 'submitted', attempt_number = ${attempt.number}, attempted_at = ${attempt.at},
           attempted_card = ${attempt.card},
           retry_on = ${attempt.retryOn}, asked_on = ${todayInLondon}, asked_pence = ${attempt.askedToday}
     where partner_id = ${partnerId} and entry_id = ${entryId}`)
}

/**
 * Ends an attempt without an outcome of the processor: it is pending, or was rejected. Changes nothing once there is an
 * outcome.
 */
export async function endAttempt(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: Id<'entry'>,
  { status, paymentId }: { status: 'submitted' | 'failed'; paymentId: string | null },
): Promise<void> {
  await tx.query(sql`
    update payment_entries set status = ${status}, payment_id = coalesce(${paymentId}, payment_id)
     where partner_id = ${partnerId} and entry_id = ${entryId} and status = 'submitted'`)
}

/** Ends an attempt for which the processor had no card. The entry is what it was before, and waits for a card. */
export async function undoAttempt(tx: Tx, partnerId: Id<'partner'>, entryId: Id<'entry'>): Promise<void> {
  await tx.query(sql`
    update payment_entries e
       set status = case when exists (select from payment_reports r
                                       where r.partner_id = e.partner_id and r.entry_id = e.entry_id
                                         and r.outcome = 'failed')
                         then 'failed' else 'planned' end
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId} and e.status = 'submitted'`)
}

/**
 * Which failed payment of its contract this one is: 1 for the payment that was the first to fail. Later attempts do not
 * change that, nor does an entry that collects the same debt. 0 for a fee, and for a payment that did not fail.
 */
export async function findFailureNumber(
  tx: Queryable,
  partnerId: Id<'partner'>,
  { contractNumber, entryId }: { contractNumber: string; entryId: Id<'entry'> },
): Promise<number> {
  const [row] = await tx.query<{ number: number }>(sql`
    with first_failures as (
      select coalesce(e.continues, e.entry_id) as debt, min(r.recorded_at) as at
        from payment_reports r join payment_entries e on e.partner_id = r.partner_id and e.entry_id = r.entry_id
       where r.partner_id = ${partnerId} and e.contract_number = ${contractNumber} and r.outcome = 'failed'
         and e.kind not in ('fee', 'exit_fee')
       group by 1)
    select count(*)::int as number
      from payment_entries e
      join first_failures own on own.debt = coalesce(e.continues, e.entry_id)
      join first_failures f on (f.at, f.debt) <= (own.at, own.debt)
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId}`)
  return row?.number ?? 0
}

/** Adds the fee for a failed payment, once for each debt. There is none for a fee, what is owed again or was held. */
export async function insertLateFee(
  tx: Tx,
  partnerId: Id<'partner'>,
  fee: { entryId: Id<'entry'>; failed: Id<'entry'>; dueOn: IsoDate; amount: number; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence,
                                 description, created_at, fee_for)
    select ${fee.entryId}, partner_id, customer_id, contract_number, 'fee', ${fee.dueOn}, ${fee.amount},
           'Fee for a failed payment', ${fee.now}, coalesce(continues, entry_id)
      from payment_entries e where partner_id = ${partnerId} and entry_id = ${fee.failed}
          and kind not in ('fee', 'exit_fee') and again_for is null and not ${fellUnderHold}
    on conflict (fee_for, partner_id) where fee_for is not null do nothing`)
}

/** An entry that a call is collecting, and what it was before. */
interface ClaimedEntry {
  entryId: Id<'entry'>
  status: LedgerStatus
}

/** Claims an entry that is owed, so that no other call collects it for ten minutes. The outcome ends the claim. */
export async function claimEntry(tx: Tx, partnerId: Id<'partner'>, entryId: Id<'entry'>): Promise<ClaimedEntry> {
  const [row] = await tx.query<ClaimedEntry>(sql`
    update payment_entries e set status = 'submitted', claimed_until = clock_timestamp() + interval '10 minutes'
      from payment_entries before
     where e.partner_id = ${partnerId} and e.entry_id = ${entryId} and before.partner_id = e.partner_id
       and before.entry_id = e.entry_id
    returning e.entry_id as "entryId", before.status`)
  if (row === undefined) throw new Error('a payment that was just read is gone')
  return row
}

/** The customer's entries that other calls are collecting. */
export async function listClaimedEntries(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ entryId: string }>(sql`
    select entry_id as "entryId" from payment_entries
     where partner_id = ${partnerId} and customer_id = ${customerId} and status = 'submitted'
       and claimed_until > clock_timestamp()`)
  return new Set(rows.map(({ entryId }) => entryId))
}

/** Undoes a claim whose payment was not taken. */
export async function releaseClaim(
  db: Queryable,
  partnerId: Id<'partner'>,
  { entryId, status }: ClaimedEntry,
): Promise<void> {
  await db.query(sql`
    update payment_entries set status = ${status}, claimed_until = null
     where partner_id = ${partnerId} and entry_id = ${entryId} and status = 'submitted' and claimed_until is not null`)
}
