import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { services } from '../../quoting/packages/services.ts'
import { type Contract, isBinding, isCancellableOn, lastDayToCancel } from '../contract.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { cancelUnderLock, type EndedContract, type EndingOptions } from './cancel-under-lock.ts'
import { dateNotice, type EndingNotice, loadContractToEnd } from './contract-to-end.ts'

/**
 * POST /Customers/{id}/cancel-contract (not in the specification). Until the contract takes effect, the tenant
 * withdraws at any time and owes nothing; they can accept again. Afterwards they can cancel until the end of the 14th
 * day after it took effect, or after the day on which its confirmation was first sent (CCR 2013, regs. 29 to 34). They
 * pay for supply within that period only if they expressly asked for it (reg. 36). With electricity or gas they can
 * also after the last day (reg. 36(2)). They are in time if they sent their notice in time, and are sent a receipt.
 * With `dryRun`, changes nothing. Throws `contract_not_in_force`, `contract_not_cancellable` and `validation_failed`.
 */
export async function cancelContract(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  { dryRun, require, ...said }: EndingNotice & EndingOptions,
): Promise<EndedContract> {
  return inTransaction(deps.db, caller, async (tx) => {
    const toldOn = said.sentOn ?? said.informedOn ?? londonDate(caller.now)
    const ending = await loadContractToEnd(
      tx,
      deps.cipher,
      caller,
      customerId,
      (each) => isBinding(each) || canBeCancelled(each, toldOn),
    )
    const notice = dateNotice(said, ending.contract, caller.now)
    requireCancellable(ending.contract, notice.sentOn)
    return cancelUnderLock(tx, deps, caller, ending, { dryRun, require, notice })
  })
}

/**
 * Whether a notice that was sent on this day cancels the contract. That everything was supplied does not end the right
 * to cancel a supply of gas or electricity (CCR 2013, reg. 36(2)).
 */
export function canBeCancelled(contract: Contract, toldOn: IsoDate): boolean {
  const { status, endReason, price } = contract
  const isMetered = price?.lines.some(({ type }) => services[type].metered !== null) === true
  const isOver = status === 'ended' && endReason === 'term_over' && isMetered
  return (isBinding(contract) || isOver) && isCancellableOn(contract, toldOn)
}

function requireCancellable(contract: Contract, sentOn: IsoDate): void {
  const lastDay = lastDayToCancel(contract)
  if (lastDay === null || isCancellableOn(contract, sentOn)) return
  throw contractNotCancellable(lastDay, contract)
}

/** The error for a notice after the right to cancel had ended. */
export function contractNotCancellable(lastDay: IsoDate, { endedOn }: Pick<Contract, 'endedOn'>): DomainError {
  const otherwise =
    endedOn === null
      ? 'Otherwise end the contract with POST /Customers/{id}/end-contract.'
      : `The contract ends on ${endedOn} anyway.`
  return new DomainError(
    'contract_not_cancellable',
    `The right to cancel ended on ${lastDay}. If the tenant sent their message in time, send that day as sentOn. ${otherwise}`,
  )
}
