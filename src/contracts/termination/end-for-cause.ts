import type { Caller } from '../../partners/caller.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import {
  type Contract,
  type EndCause,
  endReasonOf,
  isPublicCause,
  type MailActor,
  type PublicCause,
} from '../contract.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { listLatestReports } from '../supply/service-reports.store.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import { exitFee, unwaivedCost } from '../terms/fees-in-words.ts'
import { findTermsVersion } from '../terms/terms-versions.store.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { type ContractToEnd, contractNotInForce, type DatedNotice } from './contract-to-end.ts'
import { endEarly } from './end-early.ts'
import { agreedPrice, paidFor } from './settle-contract.ts'

type EndingDependencies = TenantMailDependencies & { bankHolidays: BankHolidays }

/** The end of a contract whose last day was found to be allowed. */
interface EndForCause extends Partial<EndingOptions> {
  /** Before the agreed last day, and in the past if need be. Of a let that fell through, no day counts. */
  lastDay: IsoDate
  cause: EndCause
  notice: DatedNotice
  /** Who sets it, and can move it or take it back; null for somebody else. */
  setBy: MailActor | null
  /** Whether the tenant was asked and did not answer. */
  isSilent?: boolean
  /** False if the caller tells the tenant of it together with more. */
  hasReceipt?: boolean
}

/**
 * Ends a contract on a day that the caller has found to be allowed, with the fee and the set-up of the terms that the
 * tenant agreed to, or without as far as these waive them for the cause. Terms without figures cost nothing for any
 * cause, and do not allow an end for none. Takes the place of an end that was set before.
 * A tenancy that did not start ends its contract as if that had never begun, and costs nothing. The caller holds the
 * quote's row lock. Throws `early_exit_not_defined`.
 */
export async function endForCause(
  tx: Tx,
  deps: EndingDependencies,
  caller: Caller,
  ending: ContractToEnd,
  { lastDay, cause, notice, ...options }: EndForCause,
): Promise<EndedContract> {
  const { quote, contract } = ending
  const { price, share } = agreedPrice(contract, quote)
  const paid = await paidFor(tx, contract, londonDate(caller.now))
  const reason = endReasonOf(cause)
  // The same again, such as a form that is sent twice, tells nobody. The operator's causes share a reason.
  const isSet = contract.endedOn === lastDay && contract.endReason === reason && contract.endSetBy === options.setBy
  const dryRun = options.dryRun === true || (isSet && options.setBy !== 'operator')
  const shared = { cause, reason, notice, paid, ...options, dryRun }
  if (cause === 'tenancy_did_not_start') {
    const end = { ...shared, lastDay: addDays(contract.startsOn, -1), owesSetUp: false, fee: noPence }
    return endEarly(tx, deps, caller, ending, end)
  }
  const terms = await findEarlyExit(tx, contract, cause)
  if (terms === undefined)
    return endEarly(tx, deps, caller, ending, { ...shared, lastDay, owesSetUp: paid.alreadyPaid > 0, fee: noPence })
  const unwaivedMonthlyCost = unwaivedCost(terms, cause, price, share)
  const exit = exitFee(terms, {
    // Whether a cause needs notice was the caller's to find: the end of a tenancy is true without.
    noticeGivenOn: earlierOf(notice.sentOn, addDays(lastDay, -terms.noticeDays)),
    lastDay,
    startDate: contract.startsOn,
    endDate: contract.endsOn,
    monthlyCost: share.monthlyCost,
    unwaivedMonthlyCost,
    unpaidSetUp: paid.alreadyPaid > 0 ? noPence : share.setupCost,
  })
  const owesSetUp = paid.alreadyPaid > 0 || exit.setUp > 0
  return endEarly(tx, deps, caller, ending, {
    ...{ ...shared, lastDay, owesSetUp, fee: exit.fee, feeVatRate: terms.vatRate },
  })
}

/**
 * Ends the contract of one tenant because their tenancy ends on `lastDay`, did not start, or the home cannot be lived
 * in. The day can be in the past: what was paid for the time after is then paid back within 14 days. An earlier early
 * end is replaced, with its fee. The caller holds the quote's row lock and knows that the day is true. Throws
 * `contract_not_in_force`, `early_exit_not_defined` and `end_date_not_allowed`.
 */
export async function endForTenancy(
  tx: Tx,
  deps: EndingDependencies,
  caller: Caller,
  ending: ContractToEnd,
  end: Partial<EndingOptions> & {
    lastDay: IsoDate
    cause: PublicCause
    /** What the tenant said; by default, that they said it today. */
    notice?: DatedNotice
    /** Who can move the day or take it back; by default nobody but the operator. */
    setBy?: MailActor
    /** Whether the tenant was asked and did not answer. */
    isSilent?: boolean
  },
): Promise<EndedContract> {
  const { contract } = ending
  if (contract.status !== 'in_force') throw contractNotInForce()
  if (end.cause === 'tenancy_did_not_start') await requireNotSupplied(tx, contract)
  else if (end.lastDay >= contract.endsOn) throw endDateNotAllowed(endsAnyway(contract))
  const today = londonDate(caller.now)
  const notice = { sentOn: today, informedOn: today }
  return endForCause(tx, deps, caller, ending, { notice, setBy: null, ...end })
}

/** Throws unless the supply of the home has not begun. */
export async function requireNotSupplied(tx: Tx, contract: Contract): Promise<void> {
  const reports = Object.values(await listLatestReports(tx, contract))
  if (!reports.some((report) => report?.status === 'active' || report?.status === 'ended')) return
  const detail = 'Supply has begun, so the contract cannot end as if it had not. Send tenancy_ended and the last day.'
  throw invalidFields([{ pointer: '/reason', code: 'not_allowed', detail }])
}

/** Throws if the end that was set can no longer be moved: the supply of the home was ended by it. */
export async function requireNotEnded(tx: Tx, contract: Contract): Promise<void> {
  const reports = Object.values(await listLatestReports(tx, contract))
  if (!reports.some((report) => report?.status === 'ended')) return
  throw endDateNotAllowed(
    'Supply was ended for the last day that was set, so it can no longer be moved or taken back. Ask the operator.',
  )
}

/** What is said of a day that is not before the agreed last day. */
export function endsAnyway({ endsOn }: Contract): string {
  return `The contract ends on ${endsOn} anyway. Choose an earlier last day.`
}

/** The error for a last day that is not possible, or can no longer be changed. */
export function endDateNotAllowed(detail: string): DomainError {
  return invalidFields([{ pointer: '/endDate', code: 'end_date_not_allowed', detail }], 'end_date_not_allowed')
}

/**
 * The exit terms that were agreed with the contract; undefined if they have no figures. Throws `early_exit_not_defined`
 * if there are none by which it could end for this cause.
 */
export async function findEarlyExit(
  db: Queryable,
  { acceptance }: Contract,
  cause: EndCause,
): Promise<EarlyExitTerms | undefined> {
  const version = acceptance?.termsVersion
  const terms = version === undefined ? undefined : (await findTermsVersion(db, version))?.earlyExit
  if (terms === undefined && cause === 'other') throw earlyExitNotDefined()
  return terms
}

/** Whether the terms end a contract for this cause without notice. Those without figures ask nothing of any cause. */
export function isWaivedFor(terms: EarlyExitTerms | undefined, cause: EndCause): boolean {
  if (cause === 'tenancy_did_not_start' || cause === 'other') return cause !== 'other'
  return terms === undefined || (terms.waivedFor ?? []).some((waiver) => waiver.cause === cause)
}

/** The error for terms that do not say in figures what leaving early costs. */
export function earlyExitNotDefined(): DomainError {
  return new DomainError(
    'early_exit_not_defined',
    'The terms that the tenant agreed to do not say in figures what leaving early costs. If the tenancy ends, send that reason. Ask the operator for any other cause.',
  )
}

/**
 * Throws unless the end that was set for the contract, if any, can be changed by whoever acts: by who set it or by the
 * operator, or because the tenancy ends, until supply was ended or the last day is over.
 */
export async function requireMayChangeEnd(
  tx: Tx,
  contract: Contract,
  { setBy, cause, today }: { setBy: MailActor | null; cause?: EndCause; today: IsoDate },
): Promise<void> {
  const { endedOn, endReason } = contract
  if (endedOn === null) return
  const isForTenancy = [cause, endReason].map((why) => isPublicCause(why as EndCause)).join() === 'true,false'
  if (endReason === 'replaced')
    throw endDateNotAllowed(`The contract already ends on ${endedOn}, because somebody takes over the share.`)
  if (!(isForTenancy || isSetBy(contract, setBy)))
    throw endDateNotAllowed(
      `The contract already ends on ${endedOn}. Only who set that day, or the operator, can change it.`,
    )
  if (endedOn < today) throw endDateNotAllowed(`The contract ended on ${endedOn}. Ask the operator.`)
  await requireNotEnded(tx, contract)
}

/** Whether whoever acts set the contract's end, or may change any. */
export function isSetBy({ endSetBy }: Contract, actor: MailActor | null): boolean {
  return actor === 'operator' || (actor !== null && endSetBy === actor)
}
