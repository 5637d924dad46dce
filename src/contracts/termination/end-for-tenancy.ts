import { recordEvent } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { costUntil } from '../../payments/plan/cost-until.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import type { DomainError } from '../../platform/kernel/errors.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { Contract, PublicCause } from '../contract.ts'
import { forgetEnding, updateContracts } from '../contracts.store.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { type ContractToEnd, contractNotInForce } from './contract-to-end.ts'
import { endEarly } from './end-early.ts'
import { agreedPrice, paidFor, settlementOf, storeSettlement } from './settle-contract.ts'

/**
 * Ends a contract with the tenancy of its tenant: without a fee, without set-up that is not paid, and without a notice
 * period, on a day that can lie in the past. Takes the place of an end that was set before, and of its fee. The caller
 * holds the quote's row lock.
 */
export async function endForTenancy(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  ending: ContractToEnd,
  end: { lastDay: IsoDate; cause: PublicCause } & EndingOptions,
): Promise<EndedContract> {
  const { cause, ...rest } = end
  const today = londonDate(caller.now)
  const paid = await paidFor(tx, ending.contract, today)
  return endEarly(tx, deps, caller, ending, {
    ...{ ...rest, cause, reason: cause, owesSetUp: paid.alreadyPaid > 0, fee: noPence },
    ...{ notice: { sentOn: today, informedOn: today }, paid },
  })
}

/** Whether the end of a contract can be taken back: until the contract or the supply of the home is over. */
function canTakeBackEnd({ quote, contract }: Pick<ContractToEnd, 'quote' | 'contract'>): boolean {
  const hasSupplyEnded = Object.values(quote.serviceStatuses).includes('ended')
  return contract.status === 'in_force' && contract.endedOn !== null && !hasSupplyEnded
}

function endIsFinal(): DomainError {
  return contractNotInForce(
    'The supply of the home has ended, so the end of the contract cannot be taken back. Create a new quote for who stays.',
  )
}

/**
 * Takes back the end of a contract that was set, so that it goes on as agreed: payments that were dropped come back,
 * and the tenant pays what they would have paid. The caller holds the quote's row lock. Returns the contract as it is then. Throws `contract_not_in_force` once the contract or supply is over.
 */
export async function takeBackEnd(
  tx: Tx,
  { bankHolidays }: { bankHolidays: BankHolidays },
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  { quote, contract }: ContractToEnd,
): Promise<Contract> {
  if (!canTakeBackEnd({ quote, contract })) throw endIsFinal()
  const { contractNumber, endsOn, quoteId, customerId } = contract
  const { price, share } = agreedPrice(contract, quote)
  const costs = { supplyCost: costUntil(price, share, endsOn), setUpCost: share.setupCost, fee: noPence }
  const paid = await paidFor(tx, contract, londonDate(now))
  const settled = settlementOf(
    { ...costs, suppliedUntil: endsOn, ...paid },
    { quote, contract, now, informedOn: londonDate(now), bankHolidays },
  )
  await storeSettlement(tx, contract, settled, { suppliedUntil: endsOn, now })
  const contractNumbers = [contractNumber]
  await recordContractChange(tx, { partnerId, contractNumbers, change: 'end_changed' }, async (recorded) => {
    await forgetEnding(tx, recorded, contract)
    await updateContracts(tx, recorded, partnerId, contractNumbers, { status: 'in_force', now })
  })
  const about = { customerId, quoteId, contractNumber, endsOn }
  await recordEvent(tx, { partnerId }, { type: 'customer.contract.ending', data: about })
  return { ...contract, endedOn: null, endReason: null, endSetBy: null }
}
