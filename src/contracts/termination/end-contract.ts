import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Queryable, type Tx } from '../../platform/db/database.ts'
import { addDays, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { Contract } from '../contract.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import type { EarlyExitTerms } from '../terms/fee-terms.ts'
import { earliestLastDay, exitFee, firstLastDayWithoutFee, isExitFree } from '../terms/fees-in-words.ts'
import { findTermsVersion } from '../terms/terms-versions.store.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { contractNotInForce, dateNotice, type EndingNotice, loadContractToEnd } from './contract-to-end.ts'
import { endEarly } from './end-early.ts'
import { agreedPrice, paidFor } from './settle-contract.ts'

/**
 * POST /Customers/{id}/end-contract (not in the specification). Ends a contract in force before its last day, with the
 * notice, the fee and the set-up of the terms that the tenant agreed to. The contract holds until its new last day is
 * over; if that day is before the contract's first day, it ends at once and only the fee is owed. With `dryRun`,
 * changes nothing; otherwise the tenant is sent a receipt. Throws `contract_not_in_force`, `early_exit_not_defined`,
 * `end_date_not_allowed` and `validation_failed`.
 */
export async function endContract(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  input: EndingNotice & EndingOptions & { endDate: IsoDate },
): Promise<EndedContract> {
  const { dryRun, require, endDate, ...said } = input
  const { now } = caller
  return inTransaction(deps.db, caller, async (tx) => {
    const ending = await loadContractToEnd(tx, deps.cipher, caller, customerId)
    const { quote, contract } = ending
    if (contract.status !== 'in_force') throw contractNotInForce(notInForceYet)
    const terms = await requireEarlyExit(tx, contract)
    const notice = dateNotice(said, contract, now)
    requireAllowed(endDate, contract, laterOf(earliestLastDay(terms, notice.sentOn), londonDate(now)))
    const { share } = agreedPrice(contract, quote)
    const paid = await paidFor(tx, contract)
    const exit = exitFee(terms, {
      noticeGivenOn: notice.sentOn,
      lastDay: endDate,
      startDate: contract.startsOn,
      endDate: contract.endsOn,
      monthlyCost: share.monthlyCost,
      unpaidSetUp: paid.alreadyPaid > 0 ? noPence : share.setupCost,
    })
    return endEarly(tx, deps, caller, ending, {
      lastDay: endDate,
      owesSetUp: paid.alreadyPaid > 0 || exit.setUp > 0,
      fee: exit.fee,
      feeVatRate: terms.vatRate,
      reason: 'notice',
      notice,
      paid,
      dryRun,
      require,
    })
  })
}

/** The days that a tenant who gives notice today can choose as their last, and from which on leaving is free. */
export interface PossibleLastDays {
  first: IsoDate
  last: IsoDate
  /** Null if no such day is possible. */
  freeFrom: IsoDate | null
}

/** The days that `endContract` allows today; undefined if it allows none. */
export async function findPossibleLastDays(
  db: Queryable,
  contract: Contract,
  now: Date,
): Promise<PossibleLastDays | undefined> {
  if (contract.status !== 'in_force' || contract.endedOn !== null) return undefined
  const terms = await findEarlyExit(db, contract)
  if (terms === undefined) return undefined
  const [first, last] = [earliestLastDay(terms, londonDate(now)), addDays(contract.endsOn, -1)]
  if (first > last) return undefined
  const freeFrom = isExitFree(terms) ? first : laterOf(first, firstLastDayWithoutFee(terms, contract.endsOn))
  return { first, last, freeFrom: freeFrom > last ? null : freeFrom }
}

const notInForceYet =
  'The contract is not in force, because not every tenant has accepted yet. The tenant can withdraw with POST /Customers/{id}/cancel-contract.'

/** The exit terms that were agreed with the contract. */
async function requireEarlyExit(tx: Tx, contract: Contract): Promise<EarlyExitTerms> {
  const terms = await findEarlyExit(tx, contract)
  if (terms === undefined) throw earlyExitNotDefined()
  return terms
}

async function findEarlyExit(db: Queryable, { acceptance }: Contract): Promise<EarlyExitTerms | undefined> {
  const version = acceptance?.termsVersion
  return version === undefined ? undefined : (await findTermsVersion(db, version))?.earlyExit
}

/** The error for terms that do not say in figures what leaving early costs. */
export function earlyExitNotDefined(): DomainError {
  return new DomainError(
    'early_exit_not_defined',
    'The terms that the tenant agreed to do not say in figures what leaving early costs. Ask the operator to end the contract.',
  )
}

function requireAllowed(endDate: IsoDate, contract: Contract, earliest: IsoDate): void {
  const problem =
    contract.endedOn !== null
      ? `The contract already ends on ${contract.endedOn}.`
      : endDate < earliest
        ? `With the notice of the terms, the last day can be ${earliest} at the earliest.`
        : endDate >= contract.endsOn
          ? `The contract ends on ${contract.endsOn} anyway. Choose an earlier last day.`
          : undefined
  if (problem === undefined) return
  throw invalidFields([{ pointer: '/endDate', code: 'end_date_not_allowed', detail: problem }], 'end_date_not_allowed')
}
