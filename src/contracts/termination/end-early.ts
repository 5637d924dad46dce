import { recordEvent } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { costUntil } from '../../payments/plan/cost-until.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, type Pence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import {
  type Contract,
  type EndCause,
  type EndReason,
  type MailActor,
  type PublicCause,
  publicCauses,
} from '../contract.ts'
import { recordEnding, updateContracts } from '../contracts.store.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { type ContractToEnd, type DatedNotice, loadContractToEnd } from './contract-to-end.ts'
import { sendReceipt } from './send-receipt.ts'
import { agreedPrice, type PaidFor, paidFor, settlementOf, storeSettlement } from './settle-contract.ts'

/** How a contract ends before the day on which it was agreed to end. */
export interface EarlyEnd {
  /** The last day. Before the contract's first day, it ends at once. */
  lastDay: IsoDate
  owesSetUp: boolean
  fee: Pence
  /** The VAT rate of the fee; that of the services if absent. */
  feeVatRate?: string | undefined
  reason: Extract<EndReason, 'notice' | 'replaced' | PublicCause>
  /** Why, as only the tenant and the operator know. */
  cause?: EndCause
  /** Who can move it or take it back; nobody but the operator if absent. */
  setBy?: MailActor | null
  /** Whether the tenant was asked and did not answer. */
  isSilent?: boolean
  /** False if the caller tells the tenant of it together with more. */
  hasReceipt?: boolean
  notice: DatedNotice
  paid: PaidFor
}

/**
 * Works out what a tenant owes in the end, and stores the end of the contract unless this is a dry run. The caller
 * holds the quote's row lock.
 */
export async function endEarly(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  ending: ContractToEnd,
  end: EarlyEnd & Partial<EndingOptions>,
): Promise<EndedContract> {
  const { quote, contract } = ending
  const { cipher, bankHolidays } = deps
  const { now } = caller
  const { lastDay, fee, feeVatRate, reason } = end
  const beginsFirst = lastDay < contract.startsOn
  const suppliedUntil = beginsFirst ? null : lastDay
  const { price, share } = agreedPrice(contract, quote)
  const supplyCost = suppliedUntil === null ? noPence : costUntil(price, share, suppliedUntil)
  const setUpCost = beginsFirst || !end.owesSetUp ? noPence : share.setupCost
  const settled = settlementOf(
    { supplyCost, setUpCost, suppliedUntil, fee, ...end.paid },
    { quote, contract, now, informedOn: end.notice.informedOn, feeVatRate, bankHolidays },
  )
  const { settlement } = settled
  // As if it had never begun, also if its first day is over.
  const endedOn = earlierOf(londonDate(now), addDays(contract.startsOn, -1))
  const endsAtOnce = { status: 'ended', endedOn, endReason: reason } as const
  const change = beginsFirst ? endsAtOnce : ({ status: 'in_force', endedOn: lastDay, endReason: reason } as const)
  const isMoved = contract.endedOn !== null
  const endSetBy = end.setBy ?? null
  const ended = { customerId: contract.customerId, contract: { ...contract, ...change, endSetBy }, settlement }
  if (end.dryRun !== true) {
    end.require?.(ended)
    await storeSettlement(tx, contract, settled, { suppliedUntil, now })
    const notice = { ...end.notice, cause: end.cause }
    const { partnerId } = caller
    const contractNumbers = [contract.contractNumber]
    const shown = { partnerId, contractNumbers, change: beginsFirst ? 'ended' : 'end_changed' } as const
    await recordContractChange(tx, shown, async (recorded) => {
      await recordEnding(tx, recorded, cipher, contract, { notice, settlement, setBy: endSetBy })
      await updateContracts(tx, recorded, partnerId, contractNumbers, { ...change, now })
    })
    await reportEnd(tx, caller, ending, { ...change, endSetBy })
    const told = { endReason: reason, lastDay: change.endedOn, notice: end.notice, settlement, isMoved }
    if (end.hasReceipt !== false)
      await sendReceipt(tx, deps, caller, ending, { ...told, isSilent: end.isSilent === true })
  }
  return ended
}

/** Whether a contract ends for a reason that costs no fee, and only its tenant says so. */
function isOnTenantsWord({ endReason, endSetBy }: Pick<Contract, 'endReason' | 'endSetBy'>): boolean {
  return endSetBy === 'tenant' && publicCauses.some((each) => each === endReason)
}

/** Tells that the contract has ended or, while it still runs, on which day it ends. */
function reportEnd(
  tx: Tx,
  caller: Caller,
  { quote, contract }: ContractToEnd,
  change: Pick<Contract, 'status' | 'endReason' | 'endSetBy'> & { endedOn: IsoDate },
): Promise<void> {
  const { customerId, contractNumber } = contract
  const { quoteId } = quote
  const about = { customerId, quoteId, contractNumber }
  const { status, endedOn: endsOn, endReason: reason } = change
  if (status === 'in_force') {
    const data = { ...about, endsOn, reason, confirmationWanted: isOnTenantsWord(change) }
    return recordEvent(tx, caller, { type: 'customer.contract.ending', data })
  }
  return recordEvent(tx, caller, {
    type: 'customer.contract.changed',
    data: { ...about, previousStatus: 'in_force', status, reason },
  })
}

/**
 * Ends the contract of a tenant whose share is taken over: the day before `from` is its last, and there is no exit fee.
 * Takes the place of an earlier notice. With `dryRun`, only works out what the tenant owes. The caller holds the
 * quote's row lock and has checked that the contract is in force until then.
 */
export async function endReplacedContract(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  { leaverId, from, dryRun = false }: { leaverId: Id<'tenant'>; from: IsoDate; dryRun?: boolean },
): Promise<EndedContract> {
  const ending = await loadContractToEnd(tx, deps.cipher, caller, leaverId)
  const today = londonDate(caller.now)
  return endEarly(tx, deps, caller, ending, {
    lastDay: addDays(from, -1),
    owesSetUp: true,
    fee: noPence,
    reason: 'replaced',
    notice: { sentOn: today, informedOn: today },
    paid: await paidFor(tx, ending.contract, today),
    dryRun,
  })
}
