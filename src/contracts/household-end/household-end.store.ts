import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PublicCause } from '../contract.ts'
import {
  askAgainDays,
  type EndAnswer,
  type EndEvidence,
  type EndQuestion,
  type EndSource,
  type QuestionOutcome,
} from './household-end.ts'

type OfQuote = { partnerId: Id<'partner'>; quoteId: Id<'quote'> }
type OfQuestion = { partnerId: Id<'partner'>; contractNumber: string; lastDay: IsoDate }

/** What somebody says about the end of a household's tenancy. */
export interface EndReport {
  source: EndSource
  /** The tenant who says so; null for others. */
  reportedBy: Id<'tenant'> | null
  reason: PublicCause
  evidence: EndEvidence | null
  lastDay: IsoDate
  browserHash: string | null
}

export async function insertEndReport(
  tx: Tx,
  { partnerId, quoteId }: OfQuote,
  { source, reportedBy, reason, evidence, lastDay, browserHash }: EndReport,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into tenancy_end_reports (partner_id, quote_id, source, reported_by, reason, evidence, last_day, browser_hash,
                                     reported_at)
    values (${partnerId}, ${quoteId}, ${source}, ${reportedBy}, ${reason}, ${evidence}, ${lastDay}, ${browserHash},
            ${now})`)
}

/**
 * What is said about the household and was not taken back. `isTrusted`: false for the word of a partner that was
 * stopped meanwhile.
 */
export function listEndReports(
  db: Queryable,
  { partnerId, quoteId }: OfQuote,
): Promise<(EndReport & { isTrusted: boolean })[]> {
  return db.query<EndReport & { isTrusted: boolean }>(sql`
    select r.source, r.reported_by as "reportedBy", r.reason, r.evidence, r.last_day::text as "lastDay",
           r.browser_hash as "browserHash",
           r.source <> 'partner' or (p.suspended_at is null and p.disabled_at is null) as "isTrusted"
      from tenancy_end_reports r join partners p using (partner_id)
     where r.partner_id = ${partnerId} and r.quote_id = ${quoteId} and r.taken_back_at is null
     order by r.report_number`)
}

/** What this tenant says of their household; undefined if they said nothing or took it back. */
export async function findEndReportOf(
  db: Queryable,
  { partnerId, quoteId }: OfQuote,
  tenantId: Id<'tenant'>,
): Promise<Pick<EndReport, 'lastDay'> | undefined> {
  const [report] = await db.query<Pick<EndReport, 'lastDay'>>(sql`
    select last_day::text as "lastDay" from tenancy_end_reports
     where partner_id = ${partnerId} and quote_id = ${quoteId} and reported_by = ${tenantId} and taken_back_at is null`)
  return report
}

/** Takes back what this source said. */
export async function takeBackEndReport(
  tx: Tx,
  { partnerId, quoteId }: OfQuote,
  { source, reportedBy }: Pick<EndReport, 'source' | 'reportedBy'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update tenancy_end_reports set taken_back_at = ${now}
     where partner_id = ${partnerId} and quote_id = ${quoteId} and source = ${source}
       and reported_by is not distinct from ${reportedBy} and taken_back_at is null`)
}

/** A question as it is stored. */
export interface StoredQuestion extends EndQuestion {
  contractNumber: string
  quoteId: Id<'quote'>
  reason: PublicCause
  askedAt: Date
  askedAgainAt: Date | null
  /** Whether the tenant answered themselves, so that their answer counts for others. */
  isOwnAnswer: boolean
  browserHash: string | null
  /** Null while it is open. */
  outcome: QuestionOutcome | null
}

/** The questions to tenants of a quote, the latest first. */
export function listQuestions(db: Queryable, { partnerId, quoteId }: OfQuote): Promise<StoredQuestion[]> {
  return db.query<StoredQuestion>(sql`
    select q.contract_number as "contractNumber", k.customer_id as "customerId", q.quote_id as "quoteId", q.reason,
           q.last_day::text as "lastDay", q.is_household as "isHousehold", q.asked_at as "askedAt",
           q.asked_again_at as "askedAgainAt", q.closes_on::text as "closesOn", q.answer,
           q.other_day::text as "otherDay", q.is_own_answer as "isOwnAnswer", q.browser_hash as "browserHash", q.outcome
      from tenancy_end_questions q join contracts k using (partner_id, contract_number)
     where q.partner_id = ${partnerId} and q.quote_id = ${quoteId}
     order by q.outcome is null desc, q.asked_at desc, q.last_day desc`)
}

/** Asks a tenant. A question about the same day that was withdrawn is open again. */
export async function openQuestion(
  tx: Tx,
  partnerId: Id<'partner'>,
  question: Pick<
    StoredQuestion,
    'contractNumber' | 'quoteId' | 'reason' | 'lastDay' | 'isHousehold' | 'askedAt' | 'closesOn'
  >,
): Promise<void> {
  const { contractNumber, quoteId, reason, lastDay, isHousehold, askedAt, closesOn } = question
  await tx.query(sql`
    insert into tenancy_end_questions (contract_number, partner_id, last_day, quote_id, reason, is_household, asked_at,
                                       closes_on)
    values (${contractNumber}, ${partnerId}, ${lastDay}, ${quoteId}, ${reason}, ${isHousehold}, ${askedAt},
            ${closesOn})
    on conflict (contract_number, partner_id, last_day) do update
      set reason = excluded.reason, is_household = excluded.is_household, asked_at = excluded.asked_at,
          closes_on = excluded.closes_on, asked_again_at = null, answer = null, other_day = null, answered_at = null,
          is_own_answer = false, browser_hash = null, outcome = null, closed_at = null
      where tenancy_end_questions.outcome = 'withdrawn'`)
}

/** Records what a tenant answered, and closes the question. */
export async function recordAnswer(
  tx: Tx,
  { partnerId, contractNumber, lastDay }: OfQuestion,
  answered: Pick<StoredQuestion, 'otherDay' | 'isOwnAnswer' | 'browserHash'> & {
    answer: EndAnswer
    outcome: QuestionOutcome
    now: Date
  },
): Promise<void> {
  const { answer, otherDay, isOwnAnswer, browserHash, outcome, now } = answered
  await tx.query(sql`
    update tenancy_end_questions
       set answer = ${answer}, other_day = ${otherDay}, answered_at = ${now}, is_own_answer = ${isOwnAnswer},
           browser_hash = ${browserHash}, outcome = ${outcome}, closed_at = ${now}
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and last_day = ${lastDay}`)
}

/** Closes a question without an answer. */
export async function closeQuestion(
  tx: Tx,
  { partnerId, contractNumber, lastDay }: OfQuestion,
  { outcome, now }: { outcome: QuestionOutcome; now: Date },
): Promise<void> {
  await tx.query(sql`
    update tenancy_end_questions set outcome = ${outcome}, closed_at = ${now}
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and last_day = ${lastDay}`)
}

/** Records that a tenant was asked again, or that the first e-mail left later than it was to. */
export async function updateQuestion(
  tx: Tx,
  { partnerId, contractNumber, lastDay }: OfQuestion,
  { askedAgainAt, closesOn }: Pick<StoredQuestion, 'askedAgainAt' | 'closesOn'>,
): Promise<void> {
  await tx.query(sql`
    update tenancy_end_questions set asked_again_at = ${askedAgainAt}, closes_on = ${closesOn}
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and last_day = ${lastDay}`)
}

/** Forgets what tells browsers from each other once no question of the quote is open. */
export async function forgetBrowsers(tx: Tx, { partnerId, quoteId }: OfQuote): Promise<void> {
  const isDone = sql`browser_hash is not null
    and not exists (select from tenancy_end_questions open
                     where open.partner_id = ${partnerId} and open.quote_id = ${quoteId} and open.outcome is null)`
  await tx.query(sql`
    update tenancy_end_reports set browser_hash = null
     where partner_id = ${partnerId} and quote_id = ${quoteId} and ${isDone}`)
  await tx.query(sql`
    update tenancy_end_questions set browser_hash = null
     where partner_id = ${partnerId} and quote_id = ${quoteId} and ${isDone}`)
}

/** How long an address must be a tenant's before its silence counts, if they did not sign with it: a partner can change it. */
const steadyAddressDays = 30

/**
 * When the first e-mail that asked a tenant left; null if it did not, or to an address that did not take it or that became
 * theirs shortly before, after they had agreed.
 */
export async function findAskedByMail(
  tx: Tx,
  { partnerId, contractNumber }: Pick<OfQuestion, 'partnerId' | 'contractNumber'>,
  askedAt: Date,
): Promise<Date | null> {
  const [row] = await tx.query<{ sentAt: Date }>(sql`
    select m.ended_at as "sentAt"
      from tenant_mails m
      join customers c on c.partner_id = m.partner_id and c.customer_id = m.customer_id
      join contracts k on k.partner_id = m.partner_id and k.contract_number = m.contract_number
     where m.partner_id = ${partnerId} and m.contract_number = ${contractNumber} and m.kind = 'tenancy_end_question'
       and m.outcome = 'sent' and m.created_at >= ${askedAt}
       and coalesce(c.email_changed_at, '-infinity')
           <= greatest(k.agreed_at, ${askedAt}::timestamptz - make_interval(days => ${steadyAddressDays}))
     order by m.created_at limit 1`)
  return row?.sentAt ?? null
}

/** Whether a payment for a time after the day was collected for the contract, and not paid back. */
export async function hasPaidForLater(tx: Tx, { partnerId, contractNumber, lastDay }: OfQuestion): Promise<boolean> {
  const rows = await tx.query(sql`
    select from payment_entries
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and kind <> 'refund'
       and period_start > ${lastDay}::date and collected_pence > refunded_pence + disputed_pence limit 1`)
  return rows.length > 0
}

/** An open question that somebody is to be asked again, or that is to be closed, on its partner's clock. */
export interface DueQuestion {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  contractNumber: string
  lastDay: IsoDate
  closesOn: IsoDate
  clockOffsetSeconds: number
}

/** Such questions of all partners, those that close first, first, from the one after `after`. `now` is real time. */
export function listDueQuestions(
  system: Queryable,
  { now, after, limit }: { now: Date; after: DueQuestion | undefined; limit: number },
): Promise<DueQuestion[]> {
  const partnersNow = sql`(${now}::timestamptz + make_interval(secs => p.clock_offset_seconds))`
  const from = after ?? { closesOn: '-infinity', contractNumber: '' }
  return system.query<DueQuestion>(sql`
    select q.partner_id as "partnerId", q.quote_id as "quoteId", q.contract_number as "contractNumber",
           q.last_day::text as "lastDay", q.closes_on::text as "closesOn",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from tenancy_end_questions q join partners p using (partner_id)
     where q.outcome is null and (q.closes_on, q.contract_number) > (${from.closesOn}::date, ${from.contractNumber})
       and (q.closes_on < (${partnersNow} at time zone 'Europe/London')::date
            or q.asked_again_at is null
               and q.asked_at <= ${partnersNow} - make_interval(days => ${askAgainDays}))
     order by q.closes_on, q.contract_number limit ${limit}`)
}
