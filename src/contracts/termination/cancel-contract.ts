import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { costInProportion } from '../../payments/plan/cost-until.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { services } from '../../quoting/packages/services.ts'
import { clearAcceptance } from '../../quoting/tenants/customers.store.ts'
import { type Contract, isBinding, isCancellableOn, lastDayToCancel } from '../contract.ts'
import { recordEnding, updateContracts } from '../contracts.store.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import {
  type ContractToEnd,
  type DatedNotice,
  dateNotice,
  type EndingNotice,
  loadContractToEnd,
} from './contract-to-end.ts'
import { sendReceipt } from './send-receipt.ts'
import { agreedPrice, paidFor, type Settlement, settlementOf, storeSettlement } from './settle-contract.ts'

/** A contract that was or would be ended, and what the tenant owes in the end. */
export interface EndedContract {
  customerId: Id<'tenant'>
  contract: Contract
  settlement: Settlement
}

/** How a contract is to be ended. */
export interface EndingOptions {
  /** Changes nothing. */
  dryRun: boolean
  /** Throws, under the lock, if the contract must not be ended like this: the tenant was shown something else. */
  require?: ((ended: EndedContract) => void) | undefined
}

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
    return cancelUnderLock(tx, deps, caller, ending, { dryRun, require, ...said })
  })
}

/** What `cancelContract` does. The caller holds the quote's row lock. */
export async function cancelUnderLock(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  ending: ContractToEnd,
  { dryRun, require, ...said }: EndingNotice & EndingOptions,
): Promise<EndedContract> {
  const { cipher, bankHolidays } = deps
  const { quote, customer, contract } = ending
  const { customerId } = contract
  const notice = dateNotice(said, contract, caller.now)
  const { informedOn } = notice
  requireCancellable(contract, notice.sentOn)
  const isWithdrawn = contract.status === 'agreed'
  const wasSupplied = !isWithdrawn && customer.earlySupplyRequested && informedOn >= contract.startsOn
  const suppliedUntil = wasSupplied ? earlierOf(informedOn, contract.endsOn) : null
  const { price, share } = agreedPrice(contract, quote)
  const costs = wasSupplied ? costInProportion(price, share, informedOn) : { supplyCost: noPence, setUpCost: noPence }
  const settled = settlementOf(
    { ...costs, suppliedUntil, fee: noPence, ...(await paidFor(tx, contract)) },
    { quote, contract, now: caller.now, informedOn, bankHolidays },
  )
  const { settlement } = settled
  const endReason = isWithdrawn ? 'withdrawn' : 'cancelled'
  const change = { status: 'cancelled', endedOn: londonDate(caller.now), endReason } as const
  const ended = { customerId, contract: { ...contract, ...change }, settlement }
  if (!dryRun) {
    require?.(ended)
    await storeSettlement(tx, contract, settled, { suppliedUntil, now: caller.now })
    await sendReceipt(tx, deps, caller, ending, { endReason, lastDay: change.endedOn, notice, settlement })
    await storeCancelled(tx, cipher, caller, ending, { change, notice, settlement })
  }
  return ended
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

/** How a contract is cancelled. */
interface Cancellation {
  status: 'cancelled'
  endedOn: IsoDate
  endReason: 'withdrawn' | 'cancelled'
}

/** Stores that the contract is cancelled. A customer who withdraws before the household agreed can accept again. */
async function storeCancelled(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  { quote, customer, contract }: ContractToEnd,
  { change, ...ending }: { change: Cancellation; notice: DatedNotice; settlement: Settlement },
): Promise<void> {
  const { now, partnerId } = caller
  const { customerId, contractNumber } = contract
  const { quoteId } = quote
  const reason = change.endReason
  const isWithdrawn = reason === 'withdrawn'
  const shown = { partnerId, contractNumbers: [contractNumber], change: change.status }
  await recordContractChange(tx, shown, async (recorded) => {
    await recordEnding(tx, recorded, cipher, contract, ending)
    await updateContracts(tx, recorded, partnerId, [contractNumber], { ...change, now })
  })
  const about = { customerId, quoteId }
  const changed = { ...about, contractNumber, previousStatus: contract.status, status: change.status, reason } as const
  if (isWithdrawn) await clearAcceptance(tx, partnerId, [customerId], now)
  const movedBack = {
    type: 'customer.status.changed',
    data: { ...about, previousStatus: customer.status, status: 'PersonalInfoComplete', reason },
  } as const
  await recordEvents(tx, caller, [
    { type: 'customer.contract.changed', data: changed },
    ...(isWithdrawn ? [movedBack] : []),
  ])
}
