import Fraction from 'fraction.js'
import { addDays, addMonths, earlierOf, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence, type Pence, pence, roundHalfUp } from '../../platform/kernel/money.ts'
import { listInWords, periodText } from '../../platform/kernel/period-text.ts'
import {
  type BankHolidays,
  divisionOfCountry,
  type HolidayDivision,
  nextWorkingDay,
} from '../../platform/kernel/working-days.ts'
import { billingMonths, type ContractMonth, daysWithin, nextBillingDate } from '../../quoting/pricing/billing-months.ts'
import type { PricedLine, QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import type { ContractTerm } from '../../quoting/pricing/priced-lines.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { type EntryStatus, isUncollected } from '../ledger/payment-entry.ts'

/** A payment from a tenant's card. `date` is the working day on which it is taken. The period is what it pays for. */
export interface PlannedPayment {
  date: IsoDate
  amount: Pence
  /** If a plan has a single payment, its kind is `first`. `fee`: for a failed payment, owed besides the plan. */
  kind: 'first' | 'monthly' | 'last' | 'fee'
  periodStart: IsoDate
  periodEnd: IsoDate
  description: string
}

interface PlanPaymentsInput extends ContractTerm {
  share: TenantShare
  /** The household's lines, in the order of `share.lines`. Their dates decide which days are charged. */
  lines: readonly PricedLine[]
  /** The day from which to plan: the day of the call or, once the terms are accepted, the day of acceptance. */
  today: IsoDate
  /** The nation whose bank holidays move payments. */
  division: HolidayDivision
  holidays: BankHolidays
}

/** A billing month of the contract, and what the tenant owes for it. */
interface OwedMonth extends ContractMonth {
  cost: Pence
  /**
   * The first and the last day on which any line is charged; null if none is. If broadband is the only service, it may
   * start later than the contract.
   */
  charged: { from: IsoDate; to: IsoDate } | null
}

/** The billing months collected on one billing date. */
interface Collection {
  billingDate: IsoDate
  months: readonly OwedMonth[]
  setup: Pence
  amount: Pence
}

/** A customer must be told of a payment this many days before it is taken. */
const noticeDays = 10
const monthsPerCollection = 2
const smallestLastPayment = pence(100)

/**
 * A tenant's payments for the whole contract (docs/api-behaviour.md#payment-schedule): on billing dates at least 10
 * days ahead, each moved to a working day. Dates ascend. Amounts are never negative and add up to the share's
 * `totalCost`. A share that costs nothing has one payment of 0. Otherwise payments of 0 are left out; these occur if
 * broadband is the only service and has not started.
 *
 * @internal Tests call it without a customer.
 */
export function planPayments(input: PlanPaymentsInput): PlannedPayment[] {
  const collections = withoutEmpty(joinSmallLast(settleLast(collect(input), input.share.totalCost)))
  return collections.map((collection, index) => ({
    date: nextWorkingDay(collection.billingDate, input.division, input.holidays),
    amount: collection.amount,
    kind: index === 0 ? 'first' : index === collections.length - 1 ? 'last' : 'monthly',
    ...periodOf(collection),
    description: describe(collection),
  }))
}

/**
 * The date of the next payment: the first from today on that is not collected yet, or the last if there is none. Throws
 * RangeError for an empty plan.
 */
export function nextPaymentDate(payments: readonly { date: IsoDate; status: EntryStatus }[], today: IsoDate): IsoDate {
  const next = payments.find((payment) => payment.date >= today && isUncollected(payment)) ?? payments.at(-1)
  if (next === undefined) throw new RangeError('the payment plan is empty')
  return next.date
}

/**
 * Assigns billing months to billing dates, oldest first. Each date collects the months that have begun by then: at most
 * two, plus a part month at the start.
 */
function collect(input: PlanPaymentsInput): Collection[] {
  const { contractStartDate, billingDay, today, share } = input
  const untaken = owedMonths(input)
  const collections: Collection[] = []
  const notBefore = addDays(today, noticeDays)
  let billingDate = nextBillingDate(laterOf(contractStartDate, notBefore), billingDay)
  while (untaken.length > 0) {
    const partAtStart = untaken[0] !== undefined && untaken[0].from > untaken[0].start
    const atMost = monthsPerCollection + (partAtStart ? 1 : 0)
    const begun = untaken.filter(({ start }) => start <= billingDate).length
    const months = untaken.splice(0, Math.min(begun, atMost))
    const setup = collections.length === 0 ? share.setupCost : noPence
    collections.push({ billingDate, months, setup, amount: pence(setup + sumOfCosts(months)) })
    billingDate = addMonths(billingDate, 1)
  }
  return collections
}

/**
 * The cost of each billing month: for each line, monthly share × days charged ÷ days in the month. The sum of the lines
 * is rounded once, so that a whole month costs exactly the share's `monthlyCost`.
 */
function owedMonths({ share, lines, contractStartDate, contractEndDate, billingDay }: PlanPaymentsInput): OwedMonth[] {
  if (share.lines.length !== lines.length) throw new RangeError("the share's lines do not match the household's")
  return billingMonths(contractStartDate, contractEndDate, billingDay).map((month) => {
    let penceDays = 0
    const charged: { from: IsoDate; to: IsoDate }[] = []
    for (const [index, line] of lines.entries()) {
      const days = daysWithin(month, line.startDate, line.endDate)
      const monthly = share.lines[index]?.monthlyCost ?? noPence
      penceDays += monthly * days
      if (days > 0 && monthly > 0)
        charged.push({ from: laterOf(month.from, line.startDate), to: earlierOf(month.to, line.endDate) })
    }
    const from = charged.map((each) => each.from).sort()[0]
    const to = charged
      .map((each) => each.to)
      .sort()
      .at(-1)
    const cost = roundHalfUp(new Fraction(penceDays, month.days))
    return { ...month, cost, charged: from === undefined || to === undefined ? null : { from, to } }
  })
}

/**
 * Sets the last collection to what the others leave of the total, so that it absorbs rounding. It may become negative.
 */
function settleLast(collections: readonly Collection[], total: Pence): Collection[] {
  const last = collections.at(-1)
  if (last === undefined) throw new RangeError('the contract has no days')
  const others = collections.slice(0, -1)
  const taken = others.reduce((sum, { amount }) => sum + amount, 0)
  return [...others, { ...last, amount: pence(total - taken) }]
}

/**
 * Merges the last payment into the one before, repeatedly, until the last is at least £1 or only one is left. A single
 * remaining payment can be under £1, but is never negative.
 */
function joinSmallLast(collections: readonly Collection[]): Collection[] {
  const joined = [...collections]
  for (;;) {
    const [before, last] = joined.slice(-2)
    if (before === undefined || last === undefined || last.amount >= smallestLastPayment) return joined
    joined.splice(-2, 2, {
      ...before,
      months: [...before.months, ...last.months],
      amount: pence(before.amount + last.amount),
    })
  }
}

function withoutEmpty(collections: readonly Collection[]): readonly Collection[] {
  return collections.length === 1 ? collections : collections.filter(({ amount }) => amount > 0)
}

function periodOf({ months }: Collection): Pick<PlannedPayment, 'periodStart' | 'periodEnd'> {
  const first = months[0]
  const last = months.at(-1)
  if (first === undefined || last === undefined) throw new RangeError('the collection has no billing month')
  return { periodStart: first.from, periodEnd: last.to }
}

/** If a payment covers more billing months than this, they are described as one period. */
const maxPeriodsListed = 3

/** A payment's description for the tenant: "Set-up, 15 to 31 January 2027 and February 2027". */
function describe(collection: Collection): string {
  if (collection.amount === 0) return 'Nothing to pay'
  const charged = collection.months.flatMap((month) => month.charged ?? [])
  const [first, last] = [charged[0], charged.at(-1)]
  const periods =
    first !== undefined && last !== undefined && charged.length > maxPeriodsListed
      ? [{ ...first, to: last.to }]
      : charged
  const items = [...(collection.setup > 0 ? ['Set-up'] : []), ...periods.map(({ from, to }) => periodText(from, to))]
  const { periodStart, periodEnd } = periodOf(collection)
  return items.length > 0 ? listInWords(items) : periodText(periodStart, periodEnd)
}

function sumOfCosts(months: readonly OwedMonth[]): number {
  return months.reduce((sum, { cost }) => sum + cost, 0)
}

/**
 * One tenant's payments for the agreed price. They are planned from today or, once the terms are accepted, from the day
 * of acceptance, so that the plan is then final (docs/api-behaviour.md#payment-schedule).
 */
export function planForCustomer(
  quote: Pick<Quote, 'address'>,
  price: QuotePrice,
  tenant: { customerId: Id<'tenant'>; termsAcceptedAt: Date | null },
  calendar: { today: IsoDate; bankHolidays: BankHolidays },
): PlannedPayment[] {
  return planPayments({
    share: shareOf(price, tenant.customerId),
    lines: price.lines,
    contractStartDate: price.contractStartDate,
    contractEndDate: price.contractEndDate,
    billingDay: price.billingDay,
    today: tenant.termsAcceptedAt === null ? calendar.today : londonDate(tenant.termsAcceptedAt),
    division: divisionOfCountry(quote.address.country),
    holidays: calendar.bankHolidays,
  })
}
