import type { Tx } from '../../platform/db/database.ts'
import { endOfDayBefore, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type Pence, pence } from '../../platform/kernel/money.ts'
import { rightToCancelIsOverSince } from '../../quoting/quotes/quote-policy.ts'
import {
  type ContractToEarn,
  countEarned,
  findLeftOfEarning,
  insertCommissionEntry,
  listContractsToEarn,
  listEarningsToClawBack,
  listReductionsToCount,
} from './commission-entries.store.ts'
import {
  type CommissionEntry,
  clawbackAmount,
  earnedAmount,
  earnedOn,
  reductionAmount,
  unsuppliedDays,
} from './commission-entry.ts'
import { bookingMonth, type Month } from './commission-month.ts'
import { type CommissionTerms, rateOf, termsOn } from './commission-terms.ts'

/** Contracts that earn on `until` or before and have not yet, at most `limit`. None if the partner has no terms. */
export async function contractsToEarn(
  tx: Tx,
  partnerId: Id<'partner'>,
  terms: readonly CommissionTerms[],
  { until, limit }: { until: IsoDate; limit: number },
): Promise<ContractToEarn[]> {
  const [first] = terms
  if (first === undefined) return []
  return listContractsToEarn(tx, partnerId, {
    after: endOfDayBefore(first.firstDay),
    until: rightToCancelIsOverSince(until),
    limit,
  })
}

interface Recording {
  partnerId: Id<'partner'>
  terms: readonly CommissionTerms[]
  /** The last closed month. */
  closed: Month | null
  until: IsoDate
  limit: number
  now: Date
}

/**
 * Records what contracts have earned. The caller has locked the partner's commission. Returns how many entries it
 * recorded.
 */
export async function recordEarned(tx: Tx, { partnerId, terms, closed, now, ...due }: Recording): Promise<number> {
  const contracts = await contractsToEarn(tx, partnerId, terms, due)
  for (const { effectiveOn, confirmedOn, valueNet, ...contract } of contracts) {
    const applying = termsOn(terms, effectiveOn)
    if (applying === undefined || valueNet === null)
      throw new Error(`contract ${contract.contractNumber} has no terms or no value`)
    const countsOn = earnedOn(effectiveOn, confirmedOn)
    const numberInMonth = (await countEarned(tx, partnerId, countsOn)) + 1
    const { basisPoints, amount } = rateOf(applying.tiers, numberInMonth)
    const entry: CommissionEntry = {
      ...contract,
      lineId: newId('line'),
      partnerId,
      kind: 'earned',
      countsOn,
      month: bookingMonth(countsOn, closed),
      amount: earnedAmount({ basisPoints, amount }, { valueNet, ...contract }),
      termNumber: applying.termNumber,
      numberInMonth,
      valueNet,
      basisPoints,
      fixedAmount: amount === null ? null : pence(amount),
      unsuppliedDays: 0,
      refundEntryId: null,
    }
    await insertCommissionEntry(tx, entry, now)
  }
  return contracts.length
}

/**
 * Records what is taken back of earnings. The caller has locked the partner's commission. Returns how many entries it
 * recorded.
 */
export async function recordTakenBack(tx: Tx, { partnerId, closed, now, ...due }: Recording): Promise<number> {
  const earnings = await listEarningsToClawBack(tx, partnerId, due)
  const reductions = await listReductionsToCount(tx, partnerId, due)
  const takeBack = async (
    entry: CommissionEntry,
    changes: Partial<CommissionEntry>,
    amountOf: (left: Pence) => Pence,
  ) => {
    const amount = amountOf(await findLeftOfEarning(tx, partnerId, entry.contractNumber))
    const booked = { ...entry, lineId: newId('line'), numberInMonth: null, ...changes, amount }
    await insertCommissionEntry(tx, { ...booked, month: bookingMonth(booked.countsOn, closed) }, now)
  }
  for (const { entry, ...contract } of earnings) {
    const unsupplied = unsuppliedDays(contract)
    // A contract that ended before it earned is taken back on the day on which it earned.
    const countsOn = laterOf(contract.endedOn, entry.countsOn)
    await takeBack(entry, { kind: 'clawback', countsOn, unsuppliedDays: unsupplied }, (left) =>
      clawbackAmount(entry.amount, { unsupplied, term: entry.termDays, left }),
    )
  }
  for (const { entry, reducedNet, ...reduction } of reductions)
    await takeBack(entry, { kind: 'reduction', ...reduction }, (left) => reductionAmount(entry, reducedNet, left))
  return earnings.length + reductions.length
}
