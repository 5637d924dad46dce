import { latestTime } from '../../partners/partners.store.ts'
import { daysAfterHold, isHeldOn, releasedBetween, takenAfterHold } from '../../payments/collecting/holds.store.ts'
import type { Origin } from '../../platform/db/access.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { leadFirst, mayLead } from '../../quoting/tenants/customers.store.ts'
import { kindsThat, type TenantMailKindName } from './tenant-mail-kinds.ts'

/** How many e-mails remind a tenant who has not signed, at most. */
const maxReminders = 3
/** How many of them are nudges, so that the end of the time to sign can still be told. */
const maxNudges = 2
/** Days between two reminders, before the first one, and before the end of the time to sign. */
const reminderDays = 2

/** What the e-mails that become due tell, beside the tenant and the home. */
interface DueFacts {
  nudge: object
  lock_ending: { lastDay: IsoDate }
  asked_to_lead: object
  card_declined: { setupIntentId: string } | { entryId: Id<'entry'>; payment: { date: IsoDate; amount: number } }
  payment_due: {
    contractNumber: string
    date: IsoDate
    amount: number
    description: string
    monthlyCost?: number | null
    /** When a payment was due that a hold kept from being taken. */
    heldSince?: IsoDate
  }
  moving_in: object
  card_changed: { setupIntentId: string; card: string; askedBy: Origin['actor'] | null }
}

/** The kinds of e-mail that become due because time has passed, or because of what the payment processor told. */
export type DueKind = keyof DueFacts

/** An e-mail that a tenant of any partner has become due for. */
export interface DueMail<Kind extends DueKind = DueKind> {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
  clockOffsetSeconds: number
  /** What it is about: a customer is sent one e-mail of a kind about it. */
  once: string
  facts: DueFacts[Kind]
}

/** Which e-mails are asked for. `now` is real time; each partner's clock is added to it. */
export interface Asked {
  now: Date
  /** How many days the payments lie ahead, at most, whose notice can be due. */
  paymentDays: number
  /** Only those of this partner. */
  partnerId: Id<'partner'> | null
  /** Only those after this one. */
  after: DueMail | undefined
  limit: number
}

/**
 * The tenants who have become due for an e-mail of this kind and have not been sent it, in the order of their ids. They
 * are here and not erased; what the e-mail tells must be checked again under the quote's row lock.
 */
export function listDueMails<Kind extends DueKind>(
  system: Queryable,
  kind: Kind,
  { partnerId, after, limit, ...when }: Asked,
): Promise<DueMail<Kind>[]> {
  return system.query<DueMail<Kind>>(sql`
    select due.*
      from (${dueFor[kind]({ ...when, ...clocksAt(when.now, partnerId) })})
             as due ("partnerId", "quoteId", "customerId", "clockOffsetSeconds", once, facts)
     where (select count(*) from tenant_mails m
             where m.customer_id = due."customerId" and m.partner_id = due."partnerId" and m.kind = ${kind}
               and m.once = due.once) = 0
       ${partnerId === null ? empty : sql`and due."partnerId" = ${partnerId}`}
       ${after === undefined ? empty : sql`and (due."customerId", due.once) > (${after.customerId}, ${after.once})`}
     order by due."customerId", due.once limit ${limit}`)
}

const realTime = (now: Date) => sql`${now}::timestamptz`
const partnersNow = (now: Date) => sql`(${realTime(now)} + make_interval(secs => p.clock_offset_seconds))`
const partnersToday = (now: Date) => dayOf(partnersNow(now))
const dayOf = (time: Sql) => sql`(${time} at time zone 'Europe/London')::date`

/**
 * The entries of this status whose day meets the condition. Refunds are among them, because with a condition on the
 * kind PostgreSQL may read all that are to be collected instead.
 */
const entriesWith = (status: 'failed' | 'planned', day: Sql) => sql`
  select * from payment_entries where status = ${status} and due_on > '-infinity' and ${day} offset 0`

const whose = sql`c.partner_id, c.quote_id, c.customer_id, p.clock_offset_seconds::float8`
const isHere = sql`c.removed_at is null and c.erased_at is null`

/**
 * The row that `of` refers to. Because of its limit, PostgreSQL looks it up by its key for each row that was found
 * before, whatever it knows of the tables.
 */
const partner = (of: Sql) =>
  sql`cross join lateral (select * from partners where partner_id = ${of}.partner_id limit 1) p`
const customer = (of: Sql) => sql`
  cross join lateral (select * from customers
                       where partner_id = ${of}.partner_id and customer_id = ${of}.customer_id limit 1) c`
const quote = (of: Sql) => sql`
  cross join lateral (select * from quotes where partner_id = ${of}.partner_id and quote_id = ${of}.quote_id limit 1) q`

/**
 * The tenants who are here, have not signed, withdrawn or refused reminders, of partners that have this deployment
 * write to them.
 */
const notSigned = sql`${isHere} and c.status <> 'OnboardingComplete' and q.send_emails and not c.reminders_off
  and not exists (select from contracts k where k.partner_id = c.partner_id
                    and k.contract_number = c.contract_number and k.status = 'cancelled')
  and p.suspended_at is null and p.disabled_at is null`

const reminders = (now: Date) => sql`
  cross join lateral (
    select count(*)::int as count, count(*) filter (where m.kind = 'nudge')::int as nudges,
           coalesce(max(m.created_at) <= ${partnersNow(now)} - make_interval(days => ${reminderDays}), true)
             as "mayFollow"
      from tenant_mails m
     where m.customer_id = c.customer_id and m.partner_id = c.partner_id
       and m.kind = any(${kindsThat('isReminder')}::text[])) reminders`

/**
 * When something is asked for: the real time, and that on the clocks of the asked partners which are least and furthest
 * ahead.
 */
interface Clocks {
  now: Date
  earliest: Sql
  latest: Sql
}

function clocksAt(now: Date, partnerId: Id<'partner'> | null): Clocks {
  if (partnerId === null) return { now, earliest: realTime(now), latest: latestTime(now) }
  const own = sql`(${realTime(now)} + make_interval(secs => (select clock_offset_seconds from partners
                                                              where partner_id = ${partnerId})))`
  return { now, earliest: own, latest: own }
}

/**
 * Each selects a partner, a quote, a customer, how far the partner's clock is ahead, what the e-mail is about and what
 * it tells. The conditions on the earliest and latest clock let an index find the rows.
 */
const dueFor: Readonly<Record<DueKind, (when: Clocks & Pick<Asked, 'paymentDays'>) => Sql>> = {
  /** Whoever has opened their pages and could go on, and who does not. */
  nudge: ({ now, earliest, latest }) => sql`
    select ${whose}, (reminders.nudges + 1)::text, '{}'::jsonb
      from customers c ${quote(sql`c`)} ${partner(sql`c`)} ${reminders(now)}
     where c.pages_opened_at > '-infinity' and c.pages_opened_at > ${earliest} - interval '30 days'
       and c.pages_opened_at <= ${latest} - make_interval(days => ${reminderDays})
       and c.pages_opened_at > ${partnersNow(now)} - interval '30 days'
       and c.pages_opened_at <= ${partnersNow(now)} - make_interval(days => ${reminderDays})
       and c.updated_at <= ${partnersNow(now)} - interval '1 day'
       and ${notSigned} and coalesce(p.nudges, 'on') = 'on'
       and reminders.nudges < ${maxNudges} and reminders.count < ${maxReminders} and reminders."mayFollow"
       and (c.replaces_customer_id is not null and q.stage = 'completed'
            or q.contract_start_date > ${partnersToday(now)}
               and (q.stage = 'open' or q.stage = 'active'
                    and q.locked_until > ${partnersNow(now)} + make_interval(days => ${2 * reminderDays})))
       and (c.status = 'active' or q.household_complete_at is not null or c.replaces_customer_id is not null
            or c.customer_id = (select l.customer_id from customers l
                                 where l.partner_id = c.partner_id and l.quote_id = c.quote_id and l.removed_at is null
                                 order by ${leadFirst(sql`l`)} limit 1))`,

  lock_ending: ({ now, earliest, latest }) => sql`
    select ${whose}, (q.locked_until at time zone 'Europe/London')::date::text,
           jsonb_build_object('lastDay', (q.locked_until at time zone 'Europe/London')::date)
      from quotes q ${partner(sql`q`)}
      cross join lateral (select * from customers where partner_id = q.partner_id and quote_id = q.quote_id offset 0) c
      ${reminders(now)}
     where q.stage = 'active' and q.locked_until > ${partnersNow(now)}
       and q.locked_until <= ${partnersNow(now)} + make_interval(days => ${reminderDays})
       and q.locked_until > ${earliest}
       and q.locked_until <= ${latest} + make_interval(days => ${reminderDays})
       and (c.pages_opened_at is not null or not c.named_by_tenant or reminders.count = 0)
       and c.updated_at <= ${partnersNow(now)} - interval '1 hour'
       and ${notSigned} and reminders.count < ${maxReminders} and reminders."mayFollow"`,

  /** The next tenant, once whoever led was erased: the first of the household who is here. */
  asked_to_lead: ({ now, earliest }) => sql`
    select ${whose}, lead.customer_id, '{}'::jsonb
      from customers lead ${quote(sql`lead`)} ${partner(sql`lead`)}
      cross join lateral (select * from customers
                           where partner_id = lead.partner_id and quote_id = lead.quote_id and removed_at is null
                             and ${mayLead(sql`customers`)} order by joining_number limit 1) c
     where lead.erased_at > ${earliest} - interval '7 days' and lead.erased_at is not null and lead.removed_at is null
       and q.stage = 'open' and q.household_complete_at is null and q.contract_start_date > ${partnersToday(now)}
       and ${notSigned}
       and not exists (select from customers other
                        where other.partner_id = lead.partner_id and other.quote_id = lead.quote_id
                          and other.removed_at is null
                          and (other.joining_number < lead.joining_number
                               or ${mayLead(sql`other`)} and other.agreed_to_lead_at is not null))`,

  /** A card that was declined while it was entered, unless another was attached soon, and a payment that failed. */
  card_declined: ({ now, earliest }) => sql`
    select ${whose}, s.declined_attempt, jsonb_build_object('setupIntentId', s.setup_intent_id)
      from setup_intents s ${customer(sql`s`)} ${quote(sql`c`)} ${partner(sql`c`)}
     where s.status = 'requires_payment_method' and s.declined_attempt is not null and not s.cancel_wanted
       and s.updated_at > ${earliest} - interval '7 days' and s.updated_at <= ${partnersNow(now)} - interval '1 hour'
       and ${isHere} and q.stage <> 'cancelled' and (c.contract_number is not null or q.send_emails)
    union all
    select ${whose}, e.entry_id || '/' || coalesce(e.payment_id, ''),
           jsonb_build_object('entryId', e.entry_id,
                              'payment', jsonb_build_object('date', e.due_on, 'amount', e.amount_pence))
      from (${entriesWith('failed', sql`due_on > ${dayOf(earliest)} - 60`)}) e ${customer(sql`e`)} ${partner(sql`c`)}
     where e.kind <> 'refund' and c.erased_at is null`,

  /** Working days are counted later, once the home's bank holidays are known. */
  payment_due: ({ now, earliest, latest, paymentDays }) => sql`
    select ${whose}, e.entry_id, jsonb_build_object('contractNumber', e.contract_number, 'date', e.due_on,
           'amount', e.amount_pence, 'description', e.description,
           'monthlyCost', (
             select usual.amount_pence from payment_entries usual
              where usual.partner_id = e.partner_id and usual.contract_number = e.contract_number
                and usual.amount_pence = place."monthlyCost" and usual.status <> 'cancelled'
              order by usual.due_on, usual.entry_id limit 1))
      from (${entriesWith(
        'planned',
        sql`due_on > ${dayOf(earliest)} and due_on <= ${dayOf(latest)} + ${paymentDays}::int`,
      )}) e ${customer(sql`e`)} ${partner(sql`c`)}
      cross join lateral (select * from contracts where partner_id = e.partner_id
                             and contract_number = e.contract_number limit 1) k
      cross join lateral (
        select e.entry_id = (select first.entry_id from payment_entries first
                              where first.partner_id = e.partner_id and first.contract_number = e.contract_number
                                and first.kind <> 'refund' and first.status <> 'cancelled'
                              order by first.due_on, first.entry_id limit 1) as "isFirst",
               (k.price -> 'shares' -> 0 ->> 'monthlyCost')::bigint as "monthlyCost") place
     where e.kind <> 'refund' and e.amount_pence > 0
       and e.due_on > ${partnersToday(now)} and e.due_on <= ${partnersToday(now)} + ${paymentDays}::int
       and k.effective_at is not null and c.erased_at is null and not ${isHeldOn(sql`e.due_on`)}
       and (place."isFirst" or place."monthlyCost" is distinct from e.amount_pence)
    union all
    select ${whose}, e.entry_id || '/' || taken.day, jsonb_build_object('contractNumber', e.contract_number,
           'date', taken.day, 'amount', e.amount_pence, 'description', e.description, 'heldSince', e.due_on)
      from (${releasedBetween(sql`${earliest} - make_interval(days => ${daysAfterHold + 1})`, latest)}) h
      join payment_entries e using (partner_id, customer_id) ${customer(sql`e`)} ${partner(sql`e`)}
      cross join lateral (select ${takenAfterHold} as day) taken
      join contracts k on k.partner_id = e.partner_id and k.contract_number = e.contract_number
     where e.kind <> 'refund' and e.amount_pence > 0 and k.effective_at is not null and c.erased_at is null
       and (e.status = 'planned' or e.status = 'failed' and e.retry_on is not null)
       and taken.day > ${partnersToday(now)} and taken.day <= ${partnersToday(now)} + ${daysAfterHold}::int`,

  /** The household of a home with energy, two days before it moves in; nobody who takes over a share. */
  moving_in: ({ now, earliest, latest }) => sql`
    select ${whose}, q.moves_in_on::text, '{}'::jsonb
      from (select * from quotes where stage = 'completed' and moves_in_on > '-infinity' and moves_in_on > ${dayOf(earliest)}
               and moves_in_on <= ${dayOf(latest)} + ${reminderDays}::int offset 0) q ${partner(sql`q`)}
      cross join lateral (select * from customers where partner_id = q.partner_id and quote_id = q.quote_id offset 0) c
     where q.services && '{electricity,gas}' and ${isHere} and c.replaces_customer_id is null
       and q.moves_in_on > ${partnersToday(now)} and q.moves_in_on <= ${partnersToday(now)} + ${reminderDays}::int`,

  card_changed: ({ earliest }) => sql`
    select ${whose}, s.setup_intent_id,
           jsonb_build_object('setupIntentId', s.setup_intent_id, 'card', s.card_encrypted, 'askedBy', s.asked_by)
      from setup_intents s ${customer(sql`s`)} ${partner(sql`c`)}
     where s.replaces_card and s.status = 'succeeded' and s.card_encrypted is not null
       and s.updated_at > ${earliest} - interval '7 days' and ${isHere}
       and coalesce(p.confirmations, 'operator') = 'operator'`,
}

/** The kinds in the order in which they are looked for. */
export const dueKinds = Object.keys(dueFor) as DueKind[] satisfies TenantMailKindName[]
