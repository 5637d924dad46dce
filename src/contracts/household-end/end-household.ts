import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Queryable, type Tx } from '../../platform/db/database.ts'
import { type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Contract, PublicCause } from '../contract.ts'
import { findActor, listContractsOfQuote } from '../contracts.store.ts'
import { loadQuoteForUpdate } from '../load-quote-for-update.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import type { EndedContract, EndingOptions } from '../termination/cancel-under-lock.ts'
import { contractNotInForce, loadContractToEnd } from '../termination/contract-to-end.ts'
import { endForTenancy } from '../termination/end-for-cause.ts'
import { keepOn } from '../termination/keep-on.ts'
import { askTenants, contractsToAsk, withdrawUnsaid } from './ask-tenants.ts'
import {
  type EndReport,
  findEndReportOf,
  insertEndReport,
  listEndReports,
  listQuestions,
  takeBackEndReport,
} from './household-end.store.ts'
import { type EndEvidence, type EndSource, lastDayToAnswer } from './household-end.ts'

export type HouseholdEndDependencies = TenantMailDependencies & { db: Database; bankHolidays: BankHolidays }

/** What is said about the end of a tenancy. */
export interface SaidOfHousehold {
  /** The last day of the tenancy; null to take back what the same source said before. */
  lastDay: IsoDate | null
  reason: PublicCause
  evidence: EndEvidence | null
  /** The tenant who says so on their pages; null for the partner and the operator. */
  by: { tenantId: Id<'tenant'>; browserHash: string } | null
}

/** How a household stands after that. Nothing in it says who said what. */
export interface HouseholdEnd {
  quoteId: Id<'quote'>
  lastDay: IsoDate | null
  /** How many tenants are being asked about this day. */
  askedTenants: number
  /** The last day on which their answers count; null if nobody is asked. */
  answersUntil: IsoDate | null
  /** The contracts that were in force before, as they are now. */
  contracts: Contract[]
  /** How the contract of the tenant who says so ends; null for anybody else. */
  own: EndedContract | null
}

/**
 * POST /Quotes/{id}/end-household (not in the specification): somebody says that the tenancy of a household ends. A
 * tenant's own contract ends on that day, without a fee; a partner's word ends nothing. Every other tenant whose
 * contract would go on is asked (`close-questions.ts`). Another day, or null, takes the place of what the same source
 * said before; the same again changes nothing. With `dryRun`, nothing changes. Throws `contract_not_in_force`,
 * `end_date_not_allowed` and `validation_failed`.
 */
export function endHousehold(
  deps: HouseholdEndDependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  { dryRun, require, lastDay, by, ...said }: SaidOfHousehold & EndingOptions,
): Promise<HouseholdEnd> {
  return inTransaction(deps.db, caller, async (tx) => {
    const { now } = caller
    const quote = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    const contracts = await listContractsOfQuote(tx, quote, 'in_force')
    const own = contracts.find(({ customerId }) => customerId === by?.tenantId)
    if (contracts.length === 0 || (by !== null && own === undefined)) throw contractNotInForce(noneInForce)
    const source = await sourceOf(tx, by)
    const reportedBy = by?.tenantId ?? null
    const report = lastDay && { source, reportedBy, ...said, lastDay, browserHash: by?.browserHash ?? null }
    if (report !== null) requirePossible(report, contracts, now)
    const reports = await listEndReports(tx, quote)
    const before = reports.find((each) => each.source === source && each.reportedBy === reportedBy)
    const isNews = !isSame(report, before)
    const options = { dryRun, require }
    const changed = own && (await changeOwn(tx, deps, caller, own, { report, before, ...options }))
    if (isNews && !dryRun) {
      await takeBackEndReport(tx, quote, { source, reportedBy }, now)
      if (report !== null) await insertEndReport(tx, quote, report, now)
      await withdrawUnsaid(tx, deps, caller, quote, lastDay)
    }
    const others = contracts.filter((each) => each !== own)
    const asked = { askedTenants: 0, answersUntil: null as IsoDate | null }
    if (report !== null) {
      const questions = await listQuestions(tx, quote)
      const open = questions.filter((each) => each.outcome === null && each.lastDay === report.lastDay)
      const toAsk = isNews ? contractsToAsk(others, questions, report.lastDay) : []
      const asking = { ...said, lastDay: report.lastDay, isHousehold: true }
      if (!dryRun) await askTenants(tx, deps, caller, quote, toAsk, asking)
      const closing = [
        ...open.map(({ closesOn }) => closesOn),
        ...(toAsk.length === 0 ? [] : [lastDayToAnswer(report.lastDay, londonDate(now), true)]),
      ]
      asked.askedTenants = open.length + toAsk.length
      asked.answersUntil = closing.length === 0 ? null : closing.reduce(laterOf)
    }
    const asTheyAre = contracts.map((each) => (each === own && changed !== undefined ? changed.contract : each))
    return { quoteId: quote.quoteId, lastDay, ...asked, contracts: asTheyAre, own: changed?.ended ?? null }
  })
}

/** What a tenant says of their household; undefined if they said nothing or took it back. */
export function findSaidBy(
  db: Queryable,
  quote: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  tenantId: Id<'tenant'>,
): Promise<Pick<EndReport, 'lastDay'> | undefined> {
  return findEndReportOf(db, quote, tenantId)
}

const noneInForce =
  'Nobody in this household has a contract in force. If not everybody has signed, cancel or reopen the quote, or have the tenants withdraw.'

async function sourceOf(tx: Tx, by: SaidOfHousehold['by']): Promise<EndSource> {
  if (by !== null) return 'tenant'
  return (await findActor(tx)) === 'operator' ? 'operator' : 'partner'
}

function isSame(one: EndReport | null, other: EndReport | undefined): boolean {
  if (one === null || other === undefined) return one === null && other === undefined
  return (['lastDay', 'reason', 'evidence'] as const).every((name) => one[name] === other[name])
}

/** Ends the tenant's own contract, moves its end, or takes it back. An end that comes sooner anyway stays. */
async function changeOwn(
  tx: Tx,
  deps: HouseholdEndDependencies,
  caller: Caller,
  own: Contract,
  { report, before, ...options }: { report: EndReport | null; before: EndReport | undefined } & EndingOptions,
): Promise<{ contract: Contract; ended: EndedContract | null } | undefined> {
  const wasSetByReport = before !== undefined && own.endedOn === before.lastDay
  if (report === null && !wasSetByReport) return undefined
  const ending = await loadContractToEnd(tx, deps.cipher, caller, own.customerId)
  if (report === null)
    return { contract: (await keepOn(tx, deps, caller, ending, { dryRun: options.dryRun })).contract, ended: null }
  if (!wasSetByReport && lastDayOf(own) < report.lastDay) return undefined
  const ended = await endForTenancy(tx, deps, caller, ending, {
    ...{ lastDay: report.lastDay, cause: report.reason, setBy: 'tenant', ...options },
  })
  return { contract: ended.contract, ended }
}

/** Throws unless the day lies within the contracts, and a partner or the operator names what shows it. */
function requirePossible({ source, evidence, reason, lastDay }: EndReport, contracts: readonly Contract[], now: Date) {
  if (source === 'tenant') {
    if (evidence !== null) throw new Error('a tenant needs no evidence')
  } else if (evidence === null && reason === 'tenancy_ended')
    throw invalidFields([{ pointer: '/evidence', code: 'required', detail: evidenceNeeded }])
  const latest = contracts.map(({ endsOn }) => endsOn).reduce(laterOf)
  const earliest =
    source === 'tenant' ? londonDate(now) : contracts.map(({ agreedAt }) => londonDate(agreedAt)).sort()[0]
  const problem =
    lastDay >= latest
      ? `The contracts end on ${latest} anyway. Choose an earlier last day.`
      : earliest !== undefined && lastDay < earliest
        ? `Must be ${earliest} or later.`
        : undefined
  if (problem !== undefined)
    throw invalidFields(
      [{ pointer: '/lastDay', code: 'end_date_not_allowed', detail: problem }],
      'end_date_not_allowed',
    )
}

const evidenceNeeded =
  "Say what shows that the tenancy ends: tenants_notice, surrender_signed or order_executed. A landlord's notice, of any ground, is no evidence: a tenancy goes on until its tenants leave or a court's order is carried out."
