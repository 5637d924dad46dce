import { recordEvent } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { costUntil } from '../../payments/plan/cost-until.ts'
import type { Tx } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { findActor, forgetEnding, updateContracts } from '../contracts.store.ts'
import { withdrawAboutOne } from '../household-end/ask-tenants.ts'
import { actorOf, queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { type ContractToEnd, contractNotInForce } from './contract-to-end.ts'
import { endDateNotAllowed, requireMayChangeEnd } from './end-for-cause.ts'
import { agreedPrice, paidFor, settlementOf, storeSettlement } from './settle-contract.ts'

/** Takes back the end of a contract, as `keepContract` does. The caller holds the quote's row lock. */
export async function keepOn(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  { quote, customer, contract }: ContractToEnd,
  { dryRun, require }: EndingOptions,
): Promise<EndedContract> {
  const { now, partnerId } = caller
  const { contractNumber, endsOn, customerId } = contract
  if (contract.status !== 'in_force') throw contractNotInForce()
  const isAsked = await withdrawAboutOne(tx, deps, caller, { quote, contract }, { dryRun })
  if (contract.endedOn === null && !isAsked) throw endDateNotAllowed(`The contract ends on ${endsOn}, as agreed.`)
  const today = londonDate(now)
  await requireMayChangeEnd(tx, contract, { setBy: actorOf(await findActor(tx)), today })
  const { price, share } = agreedPrice(contract, quote)
  const settled = settlementOf(
    {
      ...{ supplyCost: costUntil(price, share, endsOn), setUpCost: share.setupCost, suppliedUntil: endsOn },
      ...{ fee: noPence, ...(await paidFor(tx, contract, today)) },
    },
    { quote, contract, now, informedOn: today, bankHolidays: deps.bankHolidays },
  )
  const { settlement } = settled
  const kept = { ...contract, endedOn: null, endReason: null, endSetBy: null }
  const ended = { customerId, contract: kept, settlement }
  if (dryRun || contract.endedOn === null) return ended
  require?.(ended)
  await storeSettlement(tx, contract, settled, { suppliedUntil: endsOn, now })
  const contractNumbers = [contractNumber]
  await recordContractChange(tx, { partnerId, contractNumbers, change: 'end_changed' }, async (recorded) => {
    await forgetEnding(tx, recorded, contract)
    await updateContracts(tx, recorded, partnerId, contractNumbers, { status: 'in_force', now })
  })
  const about = { customerId, quoteId: quote.quoteId, contractNumber }
  await recordEvent(tx, caller, {
    type: 'customer.contract.ending',
    data: { ...about, endsOn, reason: null, confirmationWanted: false },
  })
  const facts = { contractNumber, lastDay: endsOn, wasLastDay: contract.endedOn, settlement }
  await queueMails(tx, deps, caller, quote, [
    { kind: 'end_taken_back', customerId, personal: customer.personal, contractNumber, facts },
  ])
  return ended
}
