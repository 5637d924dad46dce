import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { costInProportion } from '../../payments/plan/cost-until.ts'
import type { Tx } from '../../platform/db/database.ts'
import { earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { clearAcceptance } from '../../quoting/tenants/customers.store.ts'
import type { Contract } from '../contract.ts'
import { recordEnding, updateContracts } from '../contracts.store.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import type { ContractToEnd, DatedNotice } from './contract-to-end.ts'
import { sendReceipt } from './send-receipt.ts'
import { agreedPrice, paidFor, type Settlement, settlementOf, storeSettlement } from './settle-contract.ts'

/** A contract that was or would be ended, and what the tenant owes in the end. */
export interface EndedContract {
  customerId: Id<'tenant'>
  contract: Contract
  settlement: Settlement
  /** Until when the tenant, who was asked whether it ends, can say no; it ends on this day unless they do. */
  askedUntil?: IsoDate
}

/** How a contract is to be ended. */
export interface EndingOptions {
  /** Changes nothing. */
  dryRun: boolean
  /** Throws, under the lock, if the contract must not be ended like this: the tenant was shown something else. */
  require?: ((ended: EndedContract) => void) | undefined
}

/**
 * Cancels a contract, or withdraws one that is not in force, as `cancelContract` says. The caller holds the quote's row
 * lock and has checked that it can be cancelled.
 */
export async function cancelUnderLock(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  ending: ContractToEnd,
  { dryRun, require, notice }: EndingOptions & { notice: DatedNotice },
): Promise<EndedContract> {
  const { cipher, bankHolidays } = deps
  const { quote, customer, contract } = ending
  const { customerId } = contract
  const { informedOn } = notice
  const isWithdrawn = contract.status === 'agreed'
  const wasSupplied = !isWithdrawn && customer.earlySupplyRequested && informedOn >= contract.startsOn
  const suppliedUntil = wasSupplied ? earlierOf(informedOn, contract.endsOn) : null
  const { price, share } = agreedPrice(contract, quote)
  const costs = wasSupplied ? costInProportion(price, share, informedOn) : { supplyCost: noPence, setUpCost: noPence }
  const settled = settlementOf(
    { ...costs, suppliedUntil, fee: noPence, ...(await paidFor(tx, contract, londonDate(caller.now))) },
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
