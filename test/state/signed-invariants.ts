import type { QuotePrice } from '../../src/quoting/pricing/price.ts'
import type { SignedContract, SignedState } from './signed-state.ts'

/*
 * What holds for a household after every tenant has signed, whoever leaves, cancels or is replaced. The figures are
 * worked out here anew, day by day, so that a fault in the service's own arithmetic shows.
 */

/**
 * One sentence for each broken invariant. `noticeOfCancelled` gives the day of the notice for each contract that was
 * cancelled.
 */
export function brokenAfterSigning(state: SignedState, noticeOfCancelled: ReadonlyMap<string, string>): string[] {
  const { stage, customers, contracts, price } = state
  return [
    ...(stage === 'completed' ? [] : [`the quote is ${stage}`]),
    ...customers
      .filter(({ status, replaces }) => replaces === null && status !== 'OnboardingComplete')
      .map(({ customerId, status }) => `${customerId} is ${status}`),
    ...contracts.flatMap((contract) =>
      brokenContract(contract, noticeOfCancelled).map((what) => `${contract.contractNumber}: ${what}`),
    ),
    ...brokenHousehold(price, contracts, noticeOfCancelled),
  ]
}

function brokenContract(contract: SignedContract, noticeOfCancelled: ReadonlyMap<string, string>): string[] {
  const { agreedOn, startsOn, endsOn, statement, inLedger, reversed, documents } = contract
  const { totalCost } = shareOf(contract)
  // Without a statement, nothing is owed again because the operator or the bank gave it back.
  const owed = statement?.total ?? totalCost - reversed
  const lastDay = lastDayOwed(contract, noticeOfCancelled)
  const owedInTheEnd = statement === null ? null : owedUntil(contract, lastDay ?? '')
  return [
    agreedOn >= startsOn && `agreed on ${agreedOn}, although it starts on ${startsOn}`,
    startsOn > endsOn && `from ${startsOn} to ${endsOn}`,
    documents !== 1 && `${documents} sets of documents`,
    inLedger !== owed && `the ledger has ${inLedger}, but ${owed} is owed`,
    statement !== null &&
      statement.total !== statement.supplyCost + statement.setUpCost + statement.fee - statement.reduction &&
      'the statement does not add up',
    statement !== null && statement.fee !== feeOf(contract) && `the fee is ${statement.fee}, not ${feeOf(contract)}`,
    statement !== null &&
      (statement.supplyCost !== owedInTheEnd?.supply || statement.setUpCost !== owedInTheEnd.setUp) &&
      `${statement.supplyCost} and ${statement.setUpCost} set-up are owed, not ${JSON.stringify(owedInTheEnd)}`,
  ].filter((what) => what !== false)
}

/**
 * The last day that the tenant pays for. One who cancelled pays until the day of the notice if they had asked for early
 * supply, and for nothing otherwise.
 */
function lastDayOwed(contract: SignedContract, noticeOfCancelled: ReadonlyMap<string, string>): string | null {
  if (contract.status !== 'cancelled') return contract.endedOn
  return contract.hasEarlySupply ? (noticeOfCancelled.get(contract.contractNumber) ?? '') : ''
}

/**
 * What is owed for supply and set-up if `lastDay` is the last. Who cancels owes set-up in proportion to the days (CCR
 * 2013, reg. 36).
 */
function owedUntil(contract: SignedContract, lastDay: string): { supply: number; setUp: number } {
  const { startsOn, endsOn, status } = contract
  const { setupCost } = shareOf(contract)
  const supply = costFor(contract, startsOn, lastDay)
  if (lastDay < startsOn) return { supply, setUp: 0 }
  const share = daysFrom(startsOn, lastDay) / daysFrom(startsOn, endsOn)
  return { supply, setUp: status === 'cancelled' ? Math.min(setupCost, Math.round(setupCost * share)) : setupCost }
}

/** The exit fee of the sample terms: £20, unless the tenant leaves within the last 49 days, cancels or is replaced. */
function feeOf({ endReason, endedOn, endsOn, startsOn }: SignedContract): number {
  if (endReason !== 'notice' || endedOn === null) return 0
  return endedOn >= startsOn && daysFrom(endedOn, endsOn) - 1 <= 49 ? 0 : 2_000
}

/**
 * Checks that each share is owed by one tenant after another, and that what they owe and the operator's shortfall are
 * the household's total.
 */
function brokenHousehold(
  price: QuotePrice,
  contracts: readonly SignedContract[],
  noticeOfCancelled: ReadonlyMap<string, string>,
): string[] {
  const broken: string[] = []
  // Those of a first day that moved never began.
  const begun = contracts.filter(({ endReason }) => endReason !== 'tenancy_did_not_start')
  let owedByAll = 0
  let shortfallOfAll = 0
  for (const share of price.shares) {
    let holder = begun.find(({ customerId }) => customerId === share.tenantId)
    if (holder === undefined || shareOf(holder).totalCost !== share.totalCost)
      broken.push(`the contract of ${share.tenantId} is not for their share`)
    while (holder !== undefined) {
      const current: SignedContract = holder
      const next = begun.find(({ replaces }) => replaces === current.customerId)
      const owed = owedForSupply(current)
      const own = shareOf(current)
      const handedOver = next === undefined ? 0 : shareOf(next).totalCost
      if (next !== undefined) {
        const before = costFor(current, current.startsOn, dayBefore(next.startsOn))
        const setUp = next.startsOn > current.startsOn ? own.setupCost : 0
        if (before + setUp + handedOver !== own.totalCost)
          broken.push(`${next.contractNumber} takes over ${handedOver} of ${own.totalCost} after ${before + setUp}`)
        if (next.endsOn !== current.endsOn) broken.push(`${next.contractNumber} ends on ${next.endsOn}`)
      }
      const worked = owedUntil(current, lastDayOwed(current, noticeOfCancelled) ?? current.endsOn)
      const shortfall = own.totalCost - handedOver - worked.supply - worked.setUp
      if (shortfall < 0) broken.push(`${current.contractNumber} owes ${-shortfall} too much`)
      owedByAll += owed
      shortfallOfAll += shortfall
      holder = next
    }
  }
  if (owedByAll + shortfallOfAll !== price.totalCost)
    broken.push(`${owedByAll} is owed and ${shortfallOfAll} is lost, but the household costs ${price.totalCost}`)
  return broken
}

/** What the tenant owes for supply and set-up, without a fee. */
function owedForSupply({ statement, price }: SignedContract): number {
  return statement === null ? (price.shares[0]?.totalCost ?? 0) : statement.supplyCost + statement.setUpCost
}

function shareOf({ price, contractNumber }: SignedContract): QuotePrice['shares'][number] {
  const [share, ...others] = price.shares
  if (share === undefined || others.length > 0) throw new Error(`${contractNumber} has not one share`)
  return share
}

/** A number that the length of every month divides. */
const partsOfMonth = 28 * 29 * 30 * 31

/**
 * What the days from `from` to `to` cost: for each line and day, the monthly share divided by the days of the billing
 * month, rounded once.
 */
function costFor(contract: SignedContract, from: string, to: string): number {
  const { price } = contract
  const share = shareOf(contract)
  if (to >= price.contractEndDate) return share.totalCost - share.setupCost
  let parts = 0
  for (let day = from; day <= to; day = dayAfter(day)) {
    const perDay = partsOfMonth / daysInBillingMonth(day, price.billingDay)
    for (const [index, line] of price.lines.entries())
      if (line.startDate <= day && day <= line.endDate) parts += (share.lines[index]?.monthlyCost ?? 0) * perDay
  }
  return Math.min(Math.floor((2 * parts + partsOfMonth) / (2 * partsOfMonth)), share.totalCost - share.setupCost)
}

function daysInBillingMonth(day: string, billingDay: number): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const first = date >= billingDay ? month - 1 : month - 2
  return Math.round((Date.UTC(year, first + 1, billingDay) - Date.UTC(year, first, billingDay)) / 86_400_000)
}

/** How many days there are from one day to another, with both. */
function daysFrom(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}
