import Fraction from 'fraction.js'
import type { AfterFailure } from '../../payments/collecting/after-failure.ts'
import {
  addDays,
  addMonths,
  calendarMonthsBetween,
  daysBetween,
  type IsoDate,
  laterOf,
} from '../../platform/kernel/dates.ts'
import { countInWords, dayInWords, percentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, noPence, type Pence, pence, roundHalfUp, sumPence } from '../../platform/kernel/money.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'
import type { Service } from '../../quoting/packages/services.ts'
import type { QuotePrice, TenantShare } from '../../quoting/pricing/price.ts'
import type { EndCause } from '../contract.ts'
import { printableParagraphs } from '../printable.ts'
import type { AgreedTerms } from './agreed-terms.ts'
import type { EarlyExitTerms, LatePaymentTerms } from './fee-terms.ts'

/** A tenant's early exit: when they gave notice, their last day, and the contract that they leave. */
export interface EarlyExit {
  noticeGivenOn: IsoDate
  /** The last day of their contract. It can be before the contract's first day. */
  lastDay: IsoDate
  /** The first and the last day of the agreed term. */
  startDate: IsoDate
  endDate: IsoDate
  /** The tenant's monthly cost in pence, including VAT. */
  monthlyCost: Pence
  /**
   * Of a cause for which the terms waive the fee, the part of the monthly cost that is for services of which they do not
   * (`unwaivedCost`): no notice is needed then, and no set-up is owed. Absent for any other cause.
   */
  unwaivedMonthlyCost?: Pence | undefined
  /** The part of the tenant's set-up cost that no payment has covered yet, in pence. */
  unpaidSetUp: Pence
}

/** What the tenant owes for leaving, besides the supply up to their last day. In pence, including VAT. */
interface ExitCharge {
  fee: Pence
  setUp: Pence
  total: Pence
}

/** The earliest last day for a notice given on this day. */
export function earliestLastDay({ noticeDays }: EarlyExitTerms, noticeGivenOn: IsoDate): IsoDate {
  return addDays(noticeGivenOn, noticeDays)
}

/**
 * The first last day for which there is no exit fee: from then on, no more than `noFeeInLastDays` days are left after
 * it.
 */
export function firstLastDayWithoutFee({ noFeeInLastDays }: EarlyExitTerms, endDate: IsoDate): IsoDate {
  return addDays(endDate, -noFeeInLastDays)
}

/**
 * Calculates what a tenant owes for leaving early (docs/configuration.md#leaving-early-and-paying-late). The fee is the
 * fixed fee plus the fee for each whole month left, at most the maximum, and never more than the monthly cost of the
 * whole months left: leaving never costs more than staying. Throws RangeError if the last day is after the term or
 * earlier than the notice allows.
 */
export function exitFee(terms: EarlyExitTerms, exit: EarlyExit): ExitCharge {
  const { noticeGivenOn, lastDay, endDate, monthlyCost, unwaivedMonthlyCost } = exit
  if (lastDay > endDate) throw new RangeError(`${lastDay} is after the last day of the contract`)
  if (unwaivedMonthlyCost === undefined && lastDay < earliestLastDay(terms, noticeGivenOn))
    throw new RangeError(`${lastDay} is before the end of the notice`)
  const whole = feeFor(terms, exit)
  const isWaived = unwaivedMonthlyCost !== undefined
  const fee = isWaived && whole > 0 ? roundHalfUp(new Fraction(whole * unwaivedMonthlyCost, monthlyCost)) : whole
  const setUp = terms.unpaidSetUpIsDue && !isWaived ? exit.unpaidSetUp : noPence
  return { fee, setUp, total: sumPence([fee, setUp]) }
}

/**
 * What the services of a tenant's price cost a month for which the terms do not waive the fee when the contract ends
 * for this cause; undefined if they do not waive it for the cause. Throws RangeError if the share's lines do not match
 * the price's.
 */
export function unwaivedCost(
  { waivedFor = [] }: Pick<EarlyExitTerms, 'waivedFor'>,
  cause: EndCause,
  { lines }: Pick<QuotePrice, 'lines'>,
  share: Pick<TenantShare, 'lines'>,
): Pence | undefined {
  const waivers = waivedFor.filter((waiver) => waiver.cause === cause)
  if (waivers.length === 0) return undefined
  if (lines.length !== share.lines.length) throw new RangeError("the share's lines do not match the household's")
  const isWaived = (type: Service) => waivers.some(({ services }) => services === undefined || services.includes(type))
  return sumPence(
    lines.map(({ type }, line) => (isWaived(type) ? noPence : (share.lines[line]?.monthlyCost ?? noPence))),
  )
}

function feeFor(terms: EarlyExitTerms, { lastDay, startDate, endDate, monthlyCost }: EarlyExit): Pence {
  if (daysBetween(lastDay, endDate) <= terms.noFeeInLastDays) return noPence
  const months = wholeMonthsLeft(laterOf(lastDay, addDays(startDate, -1)), endDate)
  const { feePence, feePencePerMonthLeft = 0, maximumFeePence = Number.POSITIVE_INFINITY } = terms
  return pence(Math.min(feePence + feePencePerMonthLeft * months, maximumFeePence, monthlyCost * months))
}

/** The whole months after the last day, up to and including the end of the term. */
function wholeMonthsLeft(lastDay: IsoDate, endDate: IsoDate): number {
  const months = calendarMonthsBetween(lastDay, endDate)
  return addMonths(lastDay, months) <= endDate ? months : months - 1
}

/**
 * What the terms say about leaving early, one paragraph each: the operator's figures in words, else its own text, else
 * that nothing is agreed. Never promises what the terms do not contain.
 */
export function earlyExitInWords({ earlyExit, words }: AgreedTerms): string[] {
  if (earlyExit !== undefined) return [...exitSentences(earlyExit), ...waiversInWords(earlyExit)]
  if (words.endingEarly !== undefined) return printableParagraphs(words.endingEarly)
  return [
    'These terms do not say how to end the contract early, apart from your right to cancel. If you want to leave before the last day, ask us.',
  ]
}

/** What the terms say about failed payments, one paragraph each; as `earlyExitInWords`. */
export function latePaymentInWords({ latePayment, words }: AgreedTerms): string[] {
  if (latePayment !== undefined) return [lateSentences(latePayment)]
  if (words.latePayment !== undefined) return printableParagraphs(words.latePayment)
  return ['If a payment fails, we tell you. These terms set no charge for paying late.']
}

/** What follows a payment that failed: the next try, and what failures cost. */
export function failureInWords({ retryOn, fee, nextFee }: AfterFailure): string {
  const retry =
    retryOn === null ? 'We do not try again until you enter another card.' : `We try again on ${dayInWords(retryOn)}.`
  if (fee > 0) return `${retry} This failed payment costs ${pounds(fee)}, and so does each further payment that fails.`
  const next = nextFee === 0 ? '' : ` The next payment that fails costs ${pounds(nextFee)}.`
  return `${retry} This failed payment costs you nothing.${next}`
}

/** What the terms say about deposits and other guarantees. */
export function depositInWords({ words }: AgreedTerms): string {
  return words.deposit ?? 'None. We ask for no deposit and no other guarantee.'
}

/** The causes for which the terms waive the notice and the fee, one sentence for each set of services; empty if none. */
export function waiversInWords({ waivedFor = [] }: EarlyExitTerms): string[] {
  const byServices = Map.groupBy(waivedFor, ({ services = [] }) => listInWords(services))
  return [...byServices].map(([only, waivers]) => {
    const causes = listInWords(waivers.map(({ cause }) => causesInWords[cause])).replace(/ and ([^,]*)$/, ' or $1')
    const setUp = 'no set-up that you have not paid yet'
    const free =
      only === ''
        ? `no exit fee and ${setUp}`
        : `${setUp} and no exit fee for ${only}, though one for your other services in proportion to their price`
    return `You need give no notice, and pay ${free}, if the contract ends because ${causes}.`
  })
}

const causesInWords: Readonly<Record<Exclude<EndCause, 'other'>, string>> = {
  tenancy_ended: 'your tenancy ends',
  tenancy_did_not_start: 'your tenancy does not start',
  property_uninhabitable: 'nobody can live in the home',
  breach_by_us: 'we broke it',
  moved_into_care: 'you move into care',
  serious_illness: 'you are seriously ill',
  left_for_safety: 'you leave to be safe',
  death: 'you die',
}

/** Whether a tenant whose tenancy ends pays no fee at all. */
export function isFreeWhenTenancyEnds({ earlyExit }: Pick<AgreedTerms, 'earlyExit'>): boolean {
  const waivers = earlyExit?.waivedFor ?? []
  return waivers.some(({ cause, services }) => cause === 'tenancy_ended' && services === undefined)
}

/** What the contract says near its top and on the tenant's page, if `isFreeWhenTenancyEnds`. */
export const tenancyEndsInWords = (tenants: number) =>
  `If your tenancy ends, you can end this contract on the same day without a fee: you pay ${tenants === 1 ? '' : 'your share '}until that day and nothing for the time after. Tell us 14 days before if you can. If you tell us later, it still ends on your tenancy’s last day once that day is confirmed.`

function exitSentences(terms: EarlyExitTerms): string[] {
  const { noticeDays, unpaidSetUpIsDue, noFeeInLastDays } = terms
  const notice =
    noticeDays === 0
      ? 'You can end your contract early. It can end on the day you tell us, or on any later day.'
      : `You can end your contract early. Tell us at least ${noticeDays} days before the day on which it is to end.`
  const setUp = unpaidSetUpIsDue
    ? 'If you have not paid for set-up yet, you still pay for it.'
    : 'If you have not paid for set-up yet, you do not have to.'
  const fee = feeInWords(terms)
  if (fee === null) return [`${notice} You pay for the time up to your last day. There is no exit fee. ${setUp}`]
  return [
    `${notice} You pay for the time up to your last day, and an exit fee of ${fee}. ${setUp}`,
    `There is no exit fee if ${noFeeInLastDays} days or fewer are left after your last day, or if you leave because we broke the contract. The fee is never more than your monthly price for the whole months that are left.`,
  ]
}

/** The exit fee, or null if there is none. */
export function feeInWords({
  feePence,
  feePencePerMonthLeft = 0,
  maximumFeePence,
  vatRate,
}: EarlyExitTerms): string | null {
  const parts = [
    ...(feePence > 0 ? [pounds(feePence)] : []),
    ...(feePencePerMonthLeft > 0 ? [`${pounds(feePencePerMonthLeft)} for each whole month that is left`] : []),
  ]
  if (parts.length === 0 || maximumFeePence === 0) return null
  const most = maximumFeePence === undefined ? '' : `, at most ${pounds(maximumFeePence)}`
  const vat = vatRate === undefined ? ', including VAT at the rates of your services' : vatInWords(vatRate)
  return `${parts.join(' plus ')}${most}${vat}`
}

function lateSentences({ retryAfterWorkingDays, freeFailures, feePence, vatRate }: LatePaymentTerms): string {
  const days = retryAfterWorkingDays === 1 ? 'one working day' : `${countInWords(retryAfterWorkingDays)} working days`
  const retry = `If a payment fails, we tell you by e-mail and try your card again after ${days}.`
  if (feePence === 0) return `${retry} A failed payment costs you nothing.`
  const fee = `${pounds(feePence)}${vatInWords(vatRate)}`
  if (freeFailures === 0) return `${retry} Each failed payment costs ${fee}.`
  const free =
    freeFailures === 1
      ? 'The first failed payment costs'
      : `The first ${countInWords(freeFailures)} failed payments cost`
  return `${retry} ${free} nothing. Each further one costs ${fee}.`
}

/** Whether leaving early never costs a fee. */
export function isExitFree(terms: EarlyExitTerms): boolean {
  return feeInWords(terms) === null
}

function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

function vatInWords(rate: string): string {
  return Number(rate) === 0 ? '' : `, including ${percentInWords(rate)} VAT`
}
