import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { loadContractToEnd } from '../termination/contract-to-end.ts'
import { endEarly } from '../termination/end-early.ts'
import { paidFor } from '../termination/settle-contract.ts'
import type { ReceiptDependencies } from '../termination/write-receipt.ts'

/**
 * Ends the contract of a tenant whose share is taken over: the day before `from` is its last, and there is no exit fee.
 * Takes the place of an earlier notice. The caller holds the quote's lock and has checked that the contract is in force
 * until then.
 */
export async function endReplacedContract(
  tx: Tx,
  deps: ReceiptDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  { leaverId, from }: { leaverId: Id<'tenant'>; from: IsoDate },
): Promise<void> {
  const ending = await loadContractToEnd(tx, deps.cipher, caller, leaverId)
  const today = londonDate(caller.now)
  await endEarly(tx, deps, caller, ending, {
    lastDay: addDays(from, -1),
    owesSetUp: true,
    fee: noPence,
    feeVat: noPence,
    reason: 'replaced',
    notice: { sentOn: today, informedOn: today },
    paid: await paidFor(tx, ending.contract),
  })
}
