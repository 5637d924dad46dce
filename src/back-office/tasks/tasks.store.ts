import { holdDays } from '../../contracts/household-end/household-end.ts'
import { partnersDay } from '../../partners/partners.store.ts'
import { isUnmatched } from '../../payments/ledger/operator-payments.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, joinSql, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type BankHolidays, bankHolidayDays } from '../../platform/kernel/working-days.ts'
import { mayLead } from '../../quoting/tenants/customers.store.ts'
import { missingConfirmation } from '../contract-feed/feed-rows.store.ts'
import { type TaskKind, taskKindNames } from './task-kinds.ts'

/** Something that waits for the operator. The ids that are not null say what it is about. */
export interface Task extends TaskPosition {
  kind: TaskKind
  since: Date
  partnerId: Id<'partner'>
  quoteId: Id<'quote'> | null
  customerId: Id<'tenant'> | null
  contractNumber: string | null
  entryId: Id<'entry'> | null
  reportId: string | null
  queryId: Id<'query'> | null
}

/** A position in the list, which is in the order of the due days, those without one last. `id` is unique in a kind. */
export interface TaskPosition {
  kind: string
  /** The day by which it must be done, on the partner's clock; null if there is none. */
  due: IsoDate | null
  id: string
}

/** What every query of a kind selects, in this order. */
const nothing = {
  since: sql`null::timestamptz`,
  due: sql`null::date`,
  ...{ id: sql`null`, partner_id: sql`null`, quote_id: sql`null`, customer_id: sql`null` },
  ...{ contract_number: sql`null`, entry_id: sql`null`, report_id: sql`null`, query_id: sql`null` },
}
const names = sql`since, due, id, partner_id, quote_id, customer_id, contract_number, entry_id, report_id, query_id`

type Columns = Partial<typeof nothing> & Pick<typeof nothing, 'id' | 'since' | 'partner_id'>

/** The rows of one kind. A column that is left out is null. */
function tasksOf(columns: Columns, from: Sql): Sql {
  return sql`select ${joinSql(Object.values({ ...nothing, ...columns }))} ${from}`
}

/** Tenants whose e-mail address is doubtful since a time in the last 30 days. */
function doubtfulEmails(since: Sql, now: Date): Sql {
  return tasksOf(
    {
      ...{ id: sql`c.customer_id`, since, partner_id: sql`c.partner_id` },
      ...{ quote_id: sql`c.quote_id`, customer_id: sql`c.customer_id` },
    },
    sql`from customers c join partners p using (partner_id)
         where ${since} > ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds) - interval '30 days'
           and c.removed_at is null`,
  )
}

/** A payment of a contract that has been in force: nobody owes the others. */
function entriesOf(columns: Partial<Columns>, where: Sql): Sql {
  const ids = {
    ...{ id: sql`e.entry_id`, entry_id: sql`e.entry_id`, partner_id: sql`e.partner_id` },
    ...{ quote_id: sql`k.quote_id`, customer_id: sql`e.customer_id`, contract_number: sql`e.contract_number` },
  }
  return tasksOf(
    { ...ids, since: sql`e.created_at`, ...columns },
    sql`from payment_entries e join contracts k using (partner_id, contract_number) join partners p using (partner_id)
       where ${where} and k.effective_at is not null`,
  )
}

/** How many working days before the last day of a home it must be known who follows. */
const workingDaysAhead = 10

const latestFailure = sql`
  coalesce((select max(r.recorded_at) from payment_reports r
             where r.partner_id = e.partner_id and r.entry_id = e.entry_id and r.outcome = 'failed'), e.created_at)`

/** The tasks of each kind. Each query must find its rows by an index that has open ones only. `now` is real time. */
const queries: Readonly<Record<TaskKind, (now: Date, holidays: BankHolidays) => Sql>> = {
  email_of_another: (now) => doubtfulEmails(sql`c.email_of_another_since`, now),
  card_of_many: () =>
    tasksOf(
      {
        ...{ id: sql`s.setup_intent_id`, since: sql`s.card_shared_at`, partner_id: sql`s.partner_id` },
        ...{ quote_id: sql`c.quote_id`, customer_id: sql`s.customer_id` },
      },
      sql`from setup_intents s join customers c using (partner_id, customer_id)
           where s.card_shared_at > now() - interval '30 days'`,
    ),
  email_at_partner: (now) => doubtfulEmails(sql`c.email_at_partner_since`, now),
  cap_met: (now) =>
    tasksOf(
      {
        ...{ id: sql`m.caused_number::text`, since: sql`m.caused_at`, partner_id: sql`m.partner_id` },
        ...{ quote_id: sql`m.quote_id`, customer_id: sql`m.caused_by` },
      },
      sql`from caused_mails m join partners p using (partner_id)
           where m.meets_cap
             and m.caused_at > ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds) - interval '1 day'`,
    ),
  commission_queried: () =>
    tasksOf(
      {
        ...{ id: sql`y.query_id`, since: sql`y.asked_at`, partner_id: sql`y.partner_id`, quote_id: sql`e.quote_id` },
        ...{ contract_number: sql`e.contract_number`, query_id: sql`y.query_id` },
      },
      sql`from commission_queries y join commission_entries e using (line_id, partner_id) where y.answered_at is null`,
    ),
  confirmation_missing: (now) =>
    tasksOf(
      {
        ...{ id: sql`k.contract_number`, since: sql`k.effective_at`, due: sql`k.starts_on` },
        ...{ partner_id: sql`k.partner_id`, quote_id: sql`k.quote_id`, customer_id: sql`k.customer_id` },
        contract_number: sql`k.contract_number`,
      },
      missingConfirmation(now),
    ),
  death_reported: () =>
    tasksOf(
      {
        ...{ id: sql`d.death_report_id`, since: sql`d.reported_at`, due: sql`d.due_on`, partner_id: sql`partner_id` },
        ...{ quote_id: sql`d.quote_id`, customer_id: sql`d.customer_id` },
      },
      sql`from death_reports d join partners p using (partner_id) where d.outcome is null`,
    ),
  end_doubted: () =>
    tasksOf(
      {
        ...{ id: sql`k.contract_number`, since: sql`k.end_reason_checked_at`, partner_id: sql`k.partner_id` },
        ...{ quote_id: sql`k.quote_id`, customer_id: sql`k.customer_id`, contract_number: sql`k.contract_number` },
      },
      sql`from contracts k join partners p using (partner_id) where k.end_reason_check = 'doubted'`,
    ),
  end_requested: () =>
    tasksOf(
      {
        ...{ id: sql`r.customer_id`, since: sql`r.asked_at`, due: sql`r.due_on`, partner_id: sql`r.partner_id` },
        ...{ quote_id: sql`k.quote_id`, customer_id: sql`r.customer_id`, contract_number: sql`r.contract_number` },
      },
      sql`from end_requests r join contracts k using (partner_id, contract_number)
         where r.outcome is null and k.status = 'in_force'`,
    ),
  estate_owes: () =>
    tasksOf(
      {
        ...{ id: sql`e.entry_id`, since: sql`d.since`, due: sql`e.due_on`, partner_id: sql`e.partner_id` },
        ...{ quote_id: sql`k.quote_id`, customer_id: sql`e.customer_id`, contract_number: sql`k.contract_number` },
        entry_id: sql`e.entry_id`,
      },
      sql`from (select partner_id, customer_id, min(decided_at) as since from death_reports
                 where outcome = 'confirmed' group by 1, 2) d
         join payment_entries e using (partner_id, customer_id) join contracts k using (partner_id, contract_number)
         where e.kind <> 'refund' and e.amount_pence > 0 and k.effective_at is not null
           and (e.status in ('planned', 'submitted') or e.status = 'failed' and e.retry_on is not null)`,
    ),
  erroneous_transfer: () =>
    tasksOf(
      {
        ...{ id: sql`r.report_number::text`, since: sql`r.reported_at`, partner_id: sql`r.partner_id` },
        ...{
          quote_id: sql`r.quote_id`,
          due: sql`case when r.answered_on is null then r.answer_by else r.resolve_by end`,
        },
      },
      sql`from service_reports r
         where r.reason = 'erroneous_transfer'
           and not exists (select from service_reports later
                            where later.quote_id = r.quote_id and later.partner_id = r.partner_id
                              and later.service_id = r.service_id and later.report_number > r.report_number)`,
    ),
  household_ended_before: (now) =>
    tasksOf(
      {
        ...{ id: sql`again.quote_id`, since: sql`again.created_at`, partner_id: sql`again.partner_id` },
        quote_id: sql`again.quote_id`,
      },
      // The home is looked for at each partner, because somebody could go to another one for the same contract.
      sql`from (select distinct later.quote_id, later.partner_id, later.created_at
                  from contracts k join quotes q using (partner_id, quote_id)
                  join quotes later on later.address_uid = q.address_uid and later.quote_id <> q.quote_id
                 where k.end_reason in ('tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable')
                   and k.last_day between ${now}::date - 200 and ${now}::date + 200
                   and later.stage in ('open', 'active', 'completed') and later.created_at > q.created_at
                   and later.created_at > ${now}::timestamptz - interval '30 days'
                   and later.contract_start_date between k.last_day - 31 and k.last_day + 90
                   and 2 * (select count(*) from customers c
                             where c.quote_id = later.quote_id and c.partner_id = later.partner_id
                               and c.removed_at is null and c.email_hash in (
                                 select email_hash from customers b
                                  where b.quote_id = q.quote_id and b.partner_id = q.partner_id))
                       >= (select count(*) from customers b
                            where b.quote_id = q.quote_id and b.partner_id = q.partner_id)) again`,
    ),
  lead_missing: (now) =>
    tasksOf(
      {
        ...{
          id: sql`c.customer_id`,
          since: sql`coalesce(c.erased_at, c.cannot_lead_since)`,
          due: sql`q.contract_start_date`,
        },
        ...{ partner_id: sql`c.partner_id`, quote_id: sql`c.quote_id` },
      },
      sql`from customers c join quotes q using (partner_id, quote_id) join partners p using (partner_id)
           where not ${mayLead(sql`c`)} and c.removed_at is null
             and (q.stage = 'open' and q.household_complete_at is null
                  or q.stage in ('open', 'active') and c.cannot_lead_since is not null) and q.contract_start_date > ${partnersDay(now)}
             and exists (select from customers other
                          where other.partner_id = c.partner_id and other.quote_id = c.quote_id
                            and other.removed_at is null and ${mayLead(sql`other`)})
             and not exists (select from customers other
                              where other.partner_id = c.partner_id and other.quote_id = c.quote_id
                                and other.removed_at is null
                                and (other.joining_number < c.joining_number
                                     or ${mayLead(sql`other`)} and other.agreed_to_lead_at is not null))`,
    ),
  payment_disputed: () => entriesOf({}, sql`e.status = 'disputed' and e.kind <> 'refund' and e.due_on > '-infinity'`),
  /** The last contract of a home, unless the partner has another one for the home that begins by a month later. */
  next_occupier_missing: (now, holidays) =>
    tasksOf(
      {
        ...{ id: sql`k.quote_id`, since: sql`k.last_day - interval '14 days'`, due: sql`k.last_day` },
        ...{ partner_id: sql`k.partner_id`, quote_id: sql`k.quote_id` },
      },
      sql`from contracts k join quotes q using (partner_id, quote_id) join partners p using (partner_id)
         where k.status in ('in_force', 'ended') and k.last_day > '-infinity' and k.last_day >= k.starts_on
           and k.last_day between ${partnersDay(now)} - 60 and ${partnersDay(now)} + 30
           and q.services && '{electricity,gas}' and q.next_occupier_encrypted is null and q.persons_removed_at is null
           and (select count(*) from generate_series(${partnersDay(now)} + 1, k.last_day, interval '1 day') day
                 where extract(isodow from day) < 6 and day::date <> all (
                   case lower(q.address ->> 'country')
                     when 'scotland' then ${bankHolidayDays('scotland', holidays)}::date[]
                     when 'northern ireland' then ${bankHolidayDays('northern-ireland', holidays)}::date[]
                     else ${bankHolidayDays('england-and-wales', holidays)}::date[] end)) <= ${workingDaysAhead}
           and not exists (select from contracts other
                            where other.quote_id = k.quote_id and other.partner_id = k.partner_id
                              and other.status in ('in_force', 'ended')
                              and (other.last_day, other.contract_number) > (k.last_day, k.contract_number))
           and not exists (select from quotes later
                            where later.address_uid = q.address_uid and later.partner_id = q.partner_id
                              and later.quote_id <> q.quote_id and later.stage = 'completed'
                              and later.contract_end_date > k.last_day
                              and later.contract_start_date <= k.last_day + 31)`,
    ),
  payment_failed: () =>
    entriesOf(
      { since: latestFailure, due: sql`e.due_on` },
      sql`e.status = 'failed' and e.kind <> 'refund' and e.retry_on is null and e.due_on > '-infinity'`,
    ),
  payment_unmatched: () =>
    tasksOf(
      {
        ...{ id: sql`r.report_id`, since: sql`r.recorded_at`, partner_id: sql`r.partner_id` },
        ...{ quote_id: sql`c.quote_id`, customer_id: sql`r.customer_id`, entry_id: sql`r.entry_id` },
        report_id: sql`r.report_id`,
      },
      sql`from payment_reports r join customers c using (partner_id, customer_id) where ${isUnmatched}`,
    ),
  payment_owed_again: () => entriesOf({}, sql`e.owed_again_pence > 0`),
  tenancy_end_unanswered: () =>
    tasksOf(
      {
        ...{ id: sql`t.contract_number || ' ' || t.last_day`, since: sql`t.closed_at` },
        ...{ due: sql`t.closes_on + ${holdDays}::int`, partner_id: sql`t.partner_id`, quote_id: sql`t.quote_id` },
        ...{ customer_id: sql`k.customer_id`, contract_number: sql`t.contract_number` },
      },
      sql`from tenancy_end_questions t join contracts k using (partner_id, contract_number)
           where t.outcome = 'asked_operator' and k.status = 'in_force' and k.last_day > t.last_day`,
    ),
  prepayment_meter: () =>
    tasksOf(
      {
        ...{ id: sql`q.quote_id`, since: sql`q.created_at`, due: sql`q.contract_start_date` },
        ...{ partner_id: sql`q.partner_id`, quote_id: sql`q.quote_id` },
      },
      sql`from quotes q
         where q.meter ->> 'payment' = 'prepayment' and q.services && '{electricity,gas}'
           and exists (select from contracts k where k.partner_id = q.partner_id and k.quote_id = q.quote_id
                         and k.status = 'in_force')`,
    ),
  refund_due: (now) =>
    entriesOf(
      { due: sql`e.due_on` },
      sql`e.kind = 'refund' and e.status in ('planned', 'submitted', 'failed') and e.due_on > '-infinity'
          and (e.pay_by_bank or e.due_on <= ${partnersDay(now)} + 3 or e.order_reason is null)`,
    ),
  /** One for the meters of a service. A reading counts until a later one of its register, or of all or each of them. */
  wrong_meter: () =>
    tasksOf(
      {
        ...{ id: sql`m.quote_id || '/' || m.service`, since: sql`m.reported_at`, partner_id: sql`m.partner_id` },
        quote_id: sql`m.quote_id`,
      },
      sql`from (select quote_id, partner_id, service, min(reported_at) as reported_at from meter_readings r
                 where r.supplier_serial is not null
                   and not exists (select from meter_readings later
                                    where later.quote_id = r.quote_id and later.partner_id = r.partner_id
                                      and later.service = r.service and later.meter_serial is not null
                                      and later.read_on > r.read_on
                                      and (later.register = r.register or 'single' in (later.register, r.register)))
                 group by quote_id, partner_id, service) m`,
    ),
  dispute_unknown: () =>
    tasksOf(
      {
        ...{ id: sql`r.report_id`, since: sql`r.recorded_at`, partner_id: sql`r.partner_id` },
        ...{ quote_id: sql`c.quote_id`, customer_id: sql`r.customer_id`, entry_id: sql`r.entry_id` },
        report_id: sql`r.report_id`,
      },
      sql`from payment_reports r join customers c using (partner_id, customer_id)
         where r.unknown_status is not null
           and not exists (select from payment_reports later
                            where later.partner_id = r.partner_id and later.subject_id = r.subject_id
                              and later.report_id <> r.report_id and later.outcome like 'dispute%'
                              and later.occurred_at >= r.occurred_at
                              and (later.unknown_status is null or later.occurred_at > r.occurred_at))`,
    ),
}

/** One page of the tasks of these kinds. */
export function listTasks(
  system: Queryable,
  {
    kinds,
    now,
    bankHolidays,
    after,
    limit,
  }: {
    kinds: readonly TaskKind[]
    now: Date
    bankHolidays: BankHolidays
    after: TaskPosition | undefined
    limit: number
  },
): Promise<Task[]> {
  return system.query<Task>(sql`
    select kind, id, since, due::text, partner_id as "partnerId", quote_id as "quoteId", customer_id as "customerId",
           contract_number as "contractNumber", entry_id as "entryId", report_id as "reportId",
           query_id as "queryId"
      from (${unionOf(kinds, { now, bankHolidays })}) t
     ${
       after === undefined
         ? empty
         : sql`where (coalesce(due, 'infinity'), kind, id) > (coalesce(${after.due}::date, 'infinity'), ${after.kind}, ${after.id})`
     }
     order by coalesce(due, 'infinity'), kind, id limit ${limit}`)
}

/** How many tasks there are of each kind, up to `limit` each. */
export async function countTasks(
  system: Queryable,
  { now, bankHolidays, limit }: { now: Date; bankHolidays: BankHolidays; limit: number },
): Promise<Record<TaskKind, number>> {
  const rows = await system.query<{ kind: TaskKind; count: number }>(sql`
    select kind, count(*)::int as count from (${unionOf(taskKindNames, { now, bankHolidays }, sql`limit ${limit}`)}) t group by kind`)
  const counted = new Map(rows.map(({ kind, count }) => [kind, count]))
  return Object.fromEntries(taskKindNames.map((kind) => [kind, counted.get(kind) ?? 0])) as Record<TaskKind, number>
}

function unionOf(
  kinds: readonly TaskKind[],
  { now, bankHolidays }: { now: Date; bankHolidays: BankHolidays },
  limit: Sql = empty,
): Sql {
  const each = kinds.map(
    (kind) => sql`(select ${kind}::text, found.* from (${queries[kind](now, bankHolidays)} ${limit}) found)`,
  )
  return sql`select * from (${joinSql(each, ' union all ')}) found (kind, ${names})`
}
