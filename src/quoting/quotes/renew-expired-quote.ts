import type { EndReason } from '../../contracts/contract.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { scheduleBroadband } from '../broadband/schedule-broadband.ts'
import { addWarnings } from '../pricing/warnings/stored-warning.ts'
import { chooseVersion, offeredPackages } from '../rates/card-catalogue.ts'
import { listRateCardsOnSale, type PublishedRateCard } from '../rates/rate-cards.store.ts'
import type { ChangeDependencies } from './change-quote.ts'
import { expiryOf, moveContractDates } from './contract-dates.ts'
import type { PriceUpdateReason, Quote } from './quote.ts'
import { defaultDaysAhead } from './quote-policy.ts'
import { repriceQuote } from './reprice.ts'
import { saveQuote } from './save-quote.ts'
import { carryOverPackages, withSelection } from './select-packages.ts'

export interface RenewDependencies extends ChangeDependencies {
  bankHolidays: BankHolidays
}

type Owner = Pick<Caller, 'now' | 'partnerId'>

/**
 * Reprices an expired quote on today's rate card and extends its expiry (docs/api-behaviour.md#repricing). Keeps a
 * requested version if it is still on sale, carries the packages over to the new rate card, and moves dates that have
 * passed. `before` is the quote
 * as it is stored, if what is repriced has another status, and `reason` why that changes. Throws `quote_expired` if less
 * than a month of the contract is left, and `service_unavailable` if no card is on sale; nothing is written then.
 */
export async function renewExpiredQuote(
  tx: Tx,
  deps: RenewDependencies,
  caller: Owner,
  quote: Quote,
  today: IsoDate,
  { before = quote, reason = null }: { before?: Quote; reason?: EndReason | null } = {},
): Promise<Quote> {
  const dates = moveContractDates(
    {
      start: quote.contractStartDate,
      end: quote.contractEndDate,
      startIsDefault: quote.startOrigin === 'default',
      endIsDefault: quote.endOrigin === 'default',
    },
    { today, daysAhead: defaultDaysAhead(deps.quotePolicy) },
  )
  const term = { contractStartDate: dates.start, contractEndDate: dates.end }
  const priced = await priceAnew(tx, deps, caller, quote, { ...term, today, reason: 'quote_expired' })
  return saveRenewed(tx, caller, before, priced, reason)
}

/**
 * The quote with these dates on today's rate card, as if it were quoted now: a requested version stays if it is still on
 * sale, and the packages are carried over. Stores nothing.
 */
export async function priceAnew(
  tx: Tx,
  { cards, quotePolicy, bankHolidays }: RenewDependencies,
  caller: Owner,
  quote: Quote,
  to: { contractStartDate: IsoDate; contractEndDate: IsoDate; today: IsoDate; reason: PriceUpdateReason },
): Promise<Quote> {
  const { today, reason, ...term } = to
  const version = await versionForRenewal(tx, quote, today)
  const oldCard = await cards.load(tx, quote.quotingToolVersionId)
  const card = await cards.load(tx, version.quotingToolVersionId)
  const offered = offeredPackages(card, quote)
  const selection = carryOverPackages(offeredPackages(oldCard, quote), offered, quote.selectedPackageIds)
  const reselected = withSelection(
    { ...quote, priceWarnings: addWarnings(quote.priceWarnings, selection.warnings) },
    offered,
    selection.packageIds,
  )
  const moved: Quote = {
    ...reselected,
    quotingToolVersionId: version.quotingToolVersionId,
    // If the requested version is no longer on sale, the quote uses the default from now on.
    versionIsExplicit: quote.versionIsExplicit && version.quotingToolVersionId === quote.quotingToolVersionId,
    ...term,
    ...scheduleBroadband(reselected, term, today, bankHolidays),
    expiresAt: expiryOf({
      now: caller.now,
      validitySeconds: quotePolicy.validitySeconds,
      onSaleTo: version.onSaleTo,
      contractStartDate: term.contractStartDate,
    }),
  }
  return repriceQuote(moved, { card, billingDay: quotePolicy.billingDay, now: caller.now, reason })
}

/** Stores a quote that was priced anew, with its events. The caller holds the quote's row lock. */
export async function saveRenewed(
  tx: Tx,
  caller: Owner,
  before: Quote,
  priced: Quote,
  reason: EndReason | null = null,
): Promise<Quote> {
  await recordPricesUpdated(tx, before, priced)
  return saveQuote(tx, caller, before, { ...priced, pricesUpdated: true }, reason)
}

async function recordPricesUpdated(tx: Tx, { partnerId, quoteId, price: old }: Quote, { price }: Quote): Promise<void> {
  if (old === null || price === null) return
  const before = { previousMonthlyCost: old.monthlyCost, previousTotalCost: old.totalCost }
  const data = { quoteId, ...before, monthlyCost: price.monthlyCost, totalCost: price.totalCost }
  await recordEvent(tx, { partnerId }, { type: 'quote.prices.updated', data })
}

async function versionForRenewal(tx: Tx, quote: Quote, today: IsoDate): Promise<PublishedRateCard> {
  const onSale = quote.versionIsExplicit ? await listRateCardsOnSale(tx, quote.partnerId, today) : []
  const kept = onSale.find((card) => card.quotingToolVersionId === quote.quotingToolVersionId)
  return kept ?? chooseVersion(tx, { partnerId: quote.partnerId, today }, undefined)
}
