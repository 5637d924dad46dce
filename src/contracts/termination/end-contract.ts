import type { Caller } from '../../partners/caller.ts'
import { liftHold } from '../../payments/collecting/holds.store.ts'
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { type Contract, type EndCause, isPublicCause, type MailActor } from '../contract.ts'
import { findActor } from '../contracts.store.ts'
import { askAboutOne } from '../household-end/ask-tenants.ts'
import { actorOf, type TenantMailDependencies } from '../mails/queue-mails.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import { earliestLastDay, firstLastDayWithoutFee, isExitFree } from '../terms/fees-in-words.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { contractNotInForce, dateNotice, type EndingNotice, loadContractToEnd } from './contract-to-end.ts'
import {
  endDateNotAllowed,
  endForCause,
  endsAnyway,
  findEarlyExit,
  isSetBy,
  isWaivedFor,
  requireMayChangeEnd,
  requireNotSupplied,
} from './end-for-cause.ts'
import { closeEndRequest } from './end-requests.store.ts'

/**
 * How many days ago a tenancy can have ended on the tenant's own word. An earlier day takes the word of the operator, who
 * is asked (`requestEnd`), so that nobody who stayed gets a month for nothing.
 */
const unconfirmedDays = 14

/**
 * POST /Customers/{id}/end-contract (not in the specification). Ends a contract in force before its last day, with the
 * notice, the fee and the set-up of the terms that the tenant agreed to; for a cause for which these waive the fee,
 * without notice, and on a day that can lie in the past. The contract holds until its new last day is over; if that day
 * is before the contract's first day, it ends at once. Whoever set an end can move it, and the end of the tenancy takes
 * the place of any other. A partner's word that the tenancy ends, did not start or that nobody can live in the home is a
 * question to the tenant. With `dryRun`, changes nothing; otherwise the tenant is sent a receipt. Throws
 * `contract_not_in_force`, `early_exit_not_defined`, `end_date_not_allowed` and `validation_failed`.
 */
export async function endContract(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  input: EndingNotice & EndingOptions & { endDate?: IsoDate | undefined; reason: EndCause },
): Promise<EndedContract> {
  const { dryRun, require, endDate, reason: cause, ...said } = input
  const { now } = caller
  return inTransaction(deps.db, caller, async (tx) => {
    const ending = await loadContractToEnd(tx, deps.cipher, caller, customerId)
    const { contract } = ending
    if (contract.status !== 'in_force') throw contractNotInForce(notInForceYet)
    const setBy = actorOf(await findActor(tx))
    requireCause(cause, setBy)
    const notice = dateNotice(said, contract, now)
    await requireMayChangeEnd(tx, contract, { setBy, cause, today: londonDate(now) })
    if (cause === 'tenancy_did_not_start') await requireNotSupplied(tx, contract)
    else {
      const terms = await findEarlyExit(tx, contract, cause)
      requireAllowed(endDate, contract, firstLastDay(terms, contract, { cause, setBy, sentOn: notice.sentOn, now }))
    }
    const lastDay = endDate ?? addDays(contract.startsOn, -1)
    const end = { lastDay, cause, notice, setBy, dryRun, require }
    if (setBy !== 'partner' || !isPublicCause(cause)) {
      const isDecision = setBy === 'operator' && cause !== 'other' && !dryRun
      // What they asked for: the hold that it placed ends with it, so that what is left to pay is taken.
      if (isDecision && (await closeEndRequest(tx, contract)))
        await liftHold(tx, contract, { cause: 'tenancy_end', now })
      return endForCause(tx, deps, caller, ending, end)
    }
    // Of the tenancy, the partner does not know more than the tenant: they are asked, and the figures are those of silence.
    const askedUntil = await askAboutOne(tx, deps, caller, ending, { lastDay, reason: cause, dryRun })
    const silent = await endForCause(tx, deps, caller, ending, { ...end, lastDay: askedUntil, dryRun: true })
    return { ...silent, contract, askedUntil }
  })
}

/** The days that a tenant who gives notice today can choose as their last, and from which on leaving is free. */
export interface PossibleLastDays {
  /** After `last` if only the end of the tenancy is possible: the terms have no figures. */
  first: IsoDate
  last: IsoDate
  /** Null if no such day is possible. */
  freeFrom: IsoDate | null
  /** The earliest last day if the tenancy ends; null if the terms do not waive the fee for that. */
  firstOfTenancy: IsoDate | null
}

/**
 * The days that `endContract` allows a tenant today; undefined if it allows none. What was reported of the supply can
 * still forbid it.
 */
export async function findPossibleLastDays(
  db: Queryable,
  contract: Contract,
  now: Date,
): Promise<PossibleLastDays | undefined> {
  if (contract.status !== 'in_force' || !(contract.endedOn === null || isSetBy(contract, 'tenant'))) return undefined
  const cause = 'tenancy_ended'
  const terms = await findEarlyExit(db, contract, cause)
  const by = { setBy: 'tenant', sentOn: londonDate(now), now } as const
  const last = addDays(contract.endsOn, -1)
  const first = terms === undefined ? contract.endsOn : firstLastDay(terms, contract, { cause: 'other', ...by })
  const firstOfTenancy = isWaivedFor(terms, cause) ? firstLastDay(terms, contract, { cause, ...by }) : null
  if (earlierOf(first, firstOfTenancy ?? first) > last) return undefined
  const freeFrom =
    terms === undefined || isExitFree(terms) ? first : laterOf(first, firstLastDayWithoutFee(terms, contract.endsOn))
  return { first, last, freeFrom: freeFrom > last ? null : freeFrom, firstOfTenancy }
}

const notInForceYet =
  'The contract is not in force, because not every tenant has accepted yet. The tenant can withdraw with POST /Customers/{id}/cancel-contract.'

/** Only the operator gives the causes that are nobody else's business: a tenant asks for them on their pages. */
function requireCause(cause: EndCause, actor: MailActor | null): void {
  if (actor === 'operator' || cause === 'other' || isPublicCause(cause)) return
  const detail = 'Only the operator ends a contract for this cause. Ask them, or let the tenant ask on their pages.'
  throw invalidFields([{ pointer: '/reason', code: 'not_allowed', detail }])
}

/** The earliest last day that whoever acts can set for this cause. */
function firstLastDay(
  terms: EarlyExitTerms | undefined,
  { agreedAt }: Contract,
  { cause, setBy, sentOn, now }: { cause: EndCause; setBy: MailActor | null; sentOn: IsoDate; now: Date },
): IsoDate {
  const today = londonDate(now)
  if (terms !== undefined && !isWaivedFor(terms, cause)) return laterOf(earliestLastDay(terms, sentOn), today)
  const agreedOn = londonDate(agreedAt)
  return setBy === 'tenant' ? laterOf(addDays(today, -unconfirmedDays), agreedOn) : agreedOn
}

function requireAllowed(
  endDate: IsoDate | undefined,
  contract: Contract,
  earliest: IsoDate,
): asserts endDate is IsoDate {
  if (endDate === undefined)
    throw invalidFields([{ pointer: '/endDate', code: 'required', detail: 'Send the last day of the contract.' }])
  if (endDate < earliest)
    throw endDateNotAllowed(`By the terms, and for this reason, the last day can be ${earliest} at the earliest.`)
  if (endDate >= contract.endsOn) throw endDateNotAllowed(endsAnyway(contract))
}
