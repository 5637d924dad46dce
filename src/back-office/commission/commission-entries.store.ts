import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, type Pence } from '../../platform/kernel/money.ts'
import type { CommissionEntry, CommissionQuery, ContractOver } from './commission-entry.ts'
import type { Month } from './commission-month.ts'

/** A contract that has not earned yet although its right to cancel has ended. */
export interface ContractToEarn {
  contractNumber: string
  quoteId: Id<'quote'>
  branch: string | null
  soldBy: string | null
  effectiveOn: IsoDate
  confirmedOn: IsoDate
  /** What its tenant agreed to pay in the whole term, without VAT. */
  valueNet: Pence | null
  termDays: number
  /** The days of the household's whole term, which is longer than that of a tenant who took over a share later. */
  householdDays: number
}

/** Whether the contract `k` ended before its first day, as when that was moved: it is none that was sold. */
const neverBegan = sql`(k.status = 'ended' and k.ended_on < k.starts_on)`

/**
 * Contracts that took effect after `after`, took effect and were confirmed no later than `until`, were not cancelled,
 * began or may begin and have earned nothing, those that could be cancelled the longest last.
 */
export function listContractsToEarn(
  tx: Tx,
  partnerId: Id<'partner'>,
  { after, until, limit }: { after: Date; until: Date; limit: number },
): Promise<ContractToEarn[]> {
  return tx.query<ContractToEarn>(sql`
    select k.contract_number as "contractNumber", k.quote_id as "quoteId", q.branch, q.sold_by as "soldBy",
           (k.effective_at at time zone 'Europe/London')::date::text as "effectiveOn",
           (coalesce(k.confirmation_sent_at, k.effective_at) at time zone 'Europe/London')::date::text as "confirmedOn",
           (select (share ->> 'totalNet')::float8 from jsonb_array_elements(coalesce(k.price,
             q.price::jsonb) -> 'shares') share
             where share ->> 'tenantId' = k.customer_id) as "valueNet",
           k.ends_on - k.starts_on + 1 as "termDays",
           (select max(h.ends_on) - min(h.starts_on) + 1 from contracts h
             where h.partner_id = k.partner_id and h.quote_id = k.quote_id
               and h.effective_at is not null
               and (h.status <> 'ended' or h.last_day >= h.starts_on or h.contract_number = k.contract_number)
           ) as "householdDays"
      from contracts k join quotes q using (partner_id, quote_id)
     where k.partner_id = ${partnerId} and k.effective_at > '-infinity' and k.effective_at > ${after}
       and k.effective_at <= ${until} and (k.confirmed_by is null or k.confirmation_sent_at <= ${until})
       and k.status <> 'cancelled' and not ${neverBegan}
       and not exists (select from commission_entries e
                        where e.partner_id = k.partner_id and e.contract_number = k.contract_number
                          and e.kind = 'earned')
     order by greatest(k.effective_at, k.confirmation_sent_at), k.contract_number limit ${limit}`)
}

/** An earning whose contract ended early or was cancelled, and of which nothing has been taken back for that. */
export interface EarningToClawBack extends ContractOver {
  entry: CommissionEntry
}

/** An earning, and a reduction of its contract's price that has not been counted. */
export interface ReductionToCount {
  entry: CommissionEntry
  refundEntryId: Id<'entry'>
  /** Without VAT. */
  reducedNet: Pence
  countsOn: IsoDate
}

const entryColumns = sql`
  e.line_id as "lineId", e.partner_id as "partnerId", e.contract_number as "contractNumber", e.kind, e.quote_id as "quoteId", e.branch,
  e.sold_by as "soldBy",
  e.counts_on::text as "countsOn",
  to_char(e.month, 'YYYY-MM') as month, e.amount_pence::float8 as amount, e.term_number::float8 as "termNumber",
  e.number_in_month as "numberInMonth", e.value_net_pence::float8 as "valueNet", e.basis_points as "basisPoints",
  e.fixed_pence::float8 as "fixedAmount", e.term_days as "termDays", e.household_days as "householdDays",
  e.unsupplied_days as "unsuppliedDays", e.refund_entry_id as "refundEntryId"`

/** Earnings to be taken back for an end no later than `until`, the first to end first. */
export async function listEarningsToClawBack(
  tx: Tx,
  partnerId: Id<'partner'>,
  { until, limit }: { until: IsoDate; limit: number },
): Promise<EarningToClawBack[]> {
  const rows = await tx.query<CommissionEntry & ContractOver>(sql`
    select ${entryColumns}, k.status, k.starts_on::text as "startsOn", k.ends_on::text as "endsOn",
           k.ended_on::text as "endedOn"
      from contracts k join commission_entries e using (partner_id, contract_number)
     where k.partner_id = ${partnerId} and k.effective_at is not null and k.ended_on > '-infinity'
       and (k.status = 'cancelled' or (k.status = 'ended' and k.ended_on < k.ends_on))
       and e.kind = 'earned' and e.amount_pence > 0 and greatest(k.ended_on, e.counts_on) <= ${until}::date
       and not exists (select from commission_entries c
                        where c.partner_id = k.partner_id and c.contract_number = k.contract_number
                          and c.kind = 'clawback')
     order by k.ended_on, k.contract_number limit ${limit}`)
  return rows.map(({ status, startsOn, endsOn, endedOn, ...entry }) => ({
    ...{ status, startsOn, endsOn, endedOn },
    entry,
  }))
}

/**
 * Reductions of the price of contracts that earned a share of it, ordered no later than `until`, the first first. What
 * is paid back of a fee reduces no price.
 */
export async function listReductionsToCount(
  tx: Tx,
  partnerId: Id<'partner'>,
  { until, limit }: { until: IsoDate; limit: number },
): Promise<ReductionToCount[]> {
  const rows = await tx.query<
    CommissionEntry & { reductionId: Id<'entry'>; reducedNet: Pence; reducedOn: IsoDate }
  >(sql`
    select ${entryColumns}, r.entry_id as "reductionId", (r.amount_pence - coalesce(r.vat_pence, 0))::float8 as "reducedNet",
           reduced.on_day::text as "reducedOn"
      from commission_entries e join payment_entries r using (partner_id, contract_number)
      join payment_entries p on p.partner_id = r.partner_id and p.entry_id = r.refund_of
      cross join lateral (select greatest((r.created_at at time zone 'Europe/London')::date, e.counts_on) as on_day) reduced
     where e.partner_id = ${partnerId} and r.refund_kind = 'price_reduction' and r.status <> 'cancelled'
       and p.kind in ('plan', 'final') and e.kind = 'earned' and e.basis_points > 0 and reduced.on_day <= ${until}::date
       and not exists (select from commission_entries c
                        where c.partner_id = r.partner_id and c.refund_entry_id = r.entry_id)
     order by reduced.on_day, r.entry_id limit ${limit}`)
  return rows.map(({ reductionId, reducedNet, reducedOn, ...entry }) => ({
    ...{ entry, refundEntryId: reductionId, reducedNet, countsOn: reducedOn },
  }))
}

/** What is left of the earning of a contract after all that was taken back of it. */
export async function findLeftOfEarning(tx: Tx, partnerId: Id<'partner'>, contractNumber: string): Promise<Pence> {
  const [row] = await tx.query<{ left: Pence }>(sql`
    select coalesce(sum(amount_pence), 0)::float8 as left from commission_entries
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
  return row?.left ?? noPence
}

/**
 * Whether a contract that ends early on `until` or before is still in force, because the job that ends contracts has
 * not come to it.
 */
export async function hasUnendedContract(tx: Tx, partnerId: Id<'partner'>, until: IsoDate): Promise<boolean> {
  const rows = await tx.query(sql`
    select from contracts
     where partner_id = ${partnerId} and effective_at is not null and status = 'in_force' and ended_on > '-infinity'
       and ended_on <= ${until}::date
     limit 1`)
  return rows.length > 0
}

/** How many contracts that began or may begin the partner has earned for in the calendar month of this day. */
export async function countEarned(tx: Tx, partnerId: Id<'partner'>, day: IsoDate): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count
      from commission_entries e join contracts k using (partner_id, contract_number)
     where e.partner_id = ${partnerId} and e.kind = 'earned' and not ${neverBegan}
       and date_trunc('month', e.counts_on::timestamp) = date_trunc('month', ${day}::timestamp)`)
  return row?.count ?? 0
}

export async function insertCommissionEntry(tx: Tx, entry: CommissionEntry, recordedAt: Date): Promise<void> {
  await tx.query(sql`
    insert into commission_entries (line_id, partner_id, contract_number, kind, quote_id, branch, sold_by, counts_on,
                                    month, amount_pence, term_number, number_in_month,
                                    value_net_pence, basis_points, fixed_pence, term_days, household_days,
                                    unsupplied_days, refund_entry_id, recorded_at)
    values (${entry.lineId}, ${entry.partnerId}, ${entry.contractNumber}, ${entry.kind}, ${entry.quoteId}, ${entry.branch},
            ${entry.soldBy}, ${entry.countsOn},
            ${`${entry.month}-01`},
            ${entry.amount}, ${entry.termNumber}, ${entry.numberInMonth}, ${entry.valueNet}, ${entry.basisPoints},
              ${entry.fixedAmount},
            ${entry.termDays}, ${entry.householdDays}, ${entry.unsuppliedDays}, ${entry.refundEntryId}, ${recordedAt})`)
}

/** Which entries a statement has. */
export interface StatementFilter {
  month: Month
  partnerId?: string | undefined
  branch?: string | undefined
  soldBy?: string | undefined
}

/** What a statement has beside its month: `undefined` leaves a condition out. */
const linesOf = ({ partnerId, branch, soldBy }: StatementFilter) => sql`
  ${partnerId === undefined ? empty : sql`and e.partner_id = ${partnerId}`}
  ${branch === undefined ? empty : sql`and e.branch = ${branch}`}
  ${soldBy === undefined ? empty : sql`and e.sold_by = ${soldBy}`}`

/** A position in a month's entries, which are in the order of partners, days, contract numbers, kinds and refunds. */
export type EntryPosition = Pick<
  CommissionEntry,
  'partnerId' | 'countsOn' | 'contractNumber' | 'kind' | 'refundEntryId'
>

/** Entries on the statements of a month. */
export function listCommissionEntries(
  db: Queryable,
  filter: StatementFilter,
  { after, limit }: { after: EntryPosition | undefined; limit: number },
): Promise<CommissionEntry[]> {
  return db.query<CommissionEntry>(sql`
    select ${entryColumns} from commission_entries e
     where e.month = ${`${filter.month}-01`}::date ${linesOf(filter)}
       and (${after === undefined}
            or (e.partner_id, e.counts_on, e.contract_number, e.kind, coalesce(e.refund_entry_id, ''))
               > (${after?.partnerId ?? ''}, ${after?.countsOn ?? null}::date, ${after?.contractNumber ?? ''},
                 ${after?.kind ?? ''}, ${after?.refundEntryId ?? ''}))
     order by e.partner_id, e.counts_on, e.contract_number, e.kind, coalesce(e.refund_entry_id, '') limit ${limit}`)
}

/** What a partner is owed for a month. */
export interface CommissionTotal {
  partnerId: Id<'partner'>
  partnerName: string
  month: Month
  /** How many contracts were earned for, and how often something was taken back. */
  earnings: number
  clawbacks: number
  earned: Pence
  /** Zero or negative. */
  clawedBack: Pence
  /** Their sum. */
  total: Pence
  /** How many queries the operator has not answered. */
  openQueries: number
  /** When the month was closed; null while it is open. */
  closedAt: Date | null
  /** The day on which the operator paid; null if it did not say. */
  paidOn: IsoDate | null
}

/**
 * The totals of every partner that has entries on the month's statements or has closed the month, or of one partner in
 * any case, by partner.
 */
export function sumCommission(db: Queryable, filter: StatementFilter): Promise<CommissionTotal[]> {
  const { month, partnerId } = filter
  const day = `${month}-01`
  return db.query<CommissionTotal>(sql`
    select p.partner_id as "partnerId", p.name as "partnerName", ${month}::text as month,
           coalesce(s.earnings, 0) as earnings,
           coalesce(s.clawbacks, 0) as clawbacks, coalesce(s.earned, 0) as earned,
           coalesce(s.clawed_back, 0) as "clawedBack",
           coalesce(s.earned + s.clawed_back, 0) as total, coalesce(s.open, 0) as "openQueries",
           c.closed_at as "closedAt", c.paid_on::text as "paidOn"
      from partners p
      left join (select e.partner_id, count(*) filter (where kind = 'earned')::int as earnings,
                        count(*) filter (where kind <> 'earned')::int as clawbacks,
                        coalesce(sum(amount_pence) filter (where kind = 'earned'), 0)::float8 as earned,
                        coalesce(sum(amount_pence) filter (where kind <> 'earned'), 0)::float8 as clawed_back,
                        count(y.query_id)::int as open
                   from commission_entries e left join commission_queries y
                     on y.line_id = e.line_id and y.partner_id = e.partner_id and y.answered_at is null
                  where e.month = ${day}::date ${linesOf(filter)} group by e.partner_id) s using (partner_id)
      left join lateral (select closed_at, paid_on from commission_closings c
                          where c.partner_id = p.partner_id and c.month >= ${day}::date order by c.month
                          limit 1) c on true
     where case when ${partnerId ?? null}::text is null then s.partner_id is not null or c.closed_at is not null
                else p.partner_id = ${partnerId ?? null} end
     order by p.partner_id`)
}

const textOf = { column: 'commission_queries.text' }
const answerOf = { column: 'commission_queries.answer' }

/** What was asked about these lines, the first first. A caller across partners gives no `partnerId`. */
export async function listQueries(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, lineIds }: { partnerId?: string | undefined; lineIds: readonly Id<'line'>[] },
): Promise<(CommissionQuery & { lineId: Id<'line'> })[]> {
  const rows = await db.query<CommissionQuery & { lineId: Id<'line'> }>(sql`
    select query_id as "queryId", line_id as "lineId", text_encrypted as text, asked_at as "askedAt",
           answer_encrypted as answer, answered_at as "answeredAt"
      from commission_queries where line_id = any(${lineIds}::text[])
       ${partnerId === undefined ? empty : sql`and partner_id = ${partnerId}`}
     order by asked_at, query_id`)
  return rows.map((row) => {
    const open = (value: string, location: { column: string }) =>
      cipher.decrypt(value, { ...location, row: row.queryId }).toString('utf8')
    return { ...row, text: open(row.text, textOf), answer: row.answer && open(row.answer, answerOf) }
  })
}

/** A line of the partner's, by its id or that of a query about it. */
export async function findLine(
  db: Queryable,
  partnerId: Id<'partner'>,
  { lineId = null, queryId = null }: { lineId?: string | null; queryId?: string | null },
): Promise<CommissionEntry | undefined> {
  const [row] = await db.query<CommissionEntry>(sql`
    select ${entryColumns} from commission_entries e
     where e.partner_id = ${partnerId}
       and e.line_id = coalesce(${lineId}, (select y.line_id from commission_queries y
                                             where y.query_id = ${queryId} and y.partner_id = ${partnerId}))`)
  return row
}

export async function insertQuery(
  tx: Tx,
  cipher: FieldCipher,
  query: { partnerId: Id<'partner'>; lineId: Id<'line'>; queryId: Id<'query'>; text: string; askedAt: Date },
): Promise<void> {
  const { partnerId, lineId, queryId, text, askedAt } = query
  await tx.query(sql`
    insert into commission_queries (query_id, partner_id, line_id, text_encrypted, asked_at)
    values (${queryId}, ${partnerId}, ${lineId}, ${cipher.encrypt(text, { ...textOf, row: queryId })}, ${askedAt})`)
}

/** Stores an answer, unless there is one. Returns whether it did. */
export async function answerQuery(
  tx: Tx,
  cipher: FieldCipher,
  query: { partnerId: Id<'partner'>; queryId: string; answer: string; answeredAt: Date },
): Promise<boolean> {
  const { partnerId, queryId, answer, answeredAt } = query
  const rows = await tx.query(sql`
    update commission_queries
       set answer_encrypted = ${cipher.encrypt(answer, { ...answerOf, row: queryId })}, answered_at = ${answeredAt}
     where query_id = ${queryId} and partner_id = ${partnerId} and answered_at is null returning 1`)
  return rows.length > 0
}

/** Deletes what was asked about the contracts of a customer, because it may name them. */
export async function deleteQueries(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    delete from commission_queries y using commission_entries e, contracts k
     where y.partner_id = ${partnerId} and e.partner_id = y.partner_id and e.line_id = y.line_id
       and k.partner_id = e.partner_id and k.contract_number = e.contract_number and k.customer_id = ${customerId}`)
}
