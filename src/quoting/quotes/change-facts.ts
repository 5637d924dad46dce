import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import {
  type GivenMeterFacts,
  type MeterFacts,
  stillUnknown,
  withMeterFacts,
} from '../../properties/meter-facts/meter-facts.ts'
import { addWarnings } from '../pricing/warnings/stored-warning.ts'
import { offeredPackages } from '../rates/card-catalogue.ts'
import type { ChangeDependencies } from './change-quote.ts'
import type { Quote } from './quote.ts'
import { requireOperation } from './quote-operations.ts'
import { repriceQuote } from './reprice.ts'
import { saveQuote } from './save-quote.ts'
import { carryOverPackages, withSelection } from './select-packages.ts'
import { type GivenTenancy, withTenancy } from './tenancy.ts'

/** What somebody says of a household's tenancy and of the meters of its home. */
export interface GivenFacts {
  tenancy?: GivenTenancy | undefined
  meter?: GivenMeterFacts | undefined
  /** What a tenant says of the meters: the partner's word counts before it. */
  meterIfUnknown?: GivenMeterFacts | undefined
}

/**
 * Adds facts to the quote whose row the caller has locked, and stores it. If the price depends on a changed one, the
 * quote is priced again on the same rate card, without packages that the home cannot have. Throws `quote_cancelled`, and
 * `quote_locked` for meter facts of a signed household and for those that would change an agreed price.
 */
export async function changeFacts(
  tx: Tx,
  { cards, quotePolicy }: Pick<ChangeDependencies, 'cards' | 'quotePolicy'>,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  { tenancy, meterIfUnknown, meter = meterIfUnknown && stillUnknown(quote.meter, meterIfUnknown) }: GivenFacts,
): Promise<Quote> {
  if (tenancy !== undefined) requireOperation(quote, 'set-tenancy', caller.now)
  if (meter !== undefined) requireOperation(quote, 'set-meter', caller.now)
  const changed = {
    ...quote,
    tenancy: withTenancy(quote.tenancy, tenancy),
    meter: withMeterFacts(quote.meter, meter),
  }
  if (!isPricedOtherwise(quote.meter, changed.meter)) return saveQuote(tx, caller, quote, changed)
  requireOperation(quote, 'update-packages', caller.now)
  const card = await cards.load(tx, quote.quotingToolVersionId)
  const offered = offeredPackages(card, changed)
  const { packageIds, warnings } = carryOverPackages(offeredPackages(card, quote), offered, quote.selectedPackageIds)
  const selected = withSelection(changed, offered, packageIds)
  const pricing = { card, billingDay: quotePolicy.billingDay, now: caller.now, reason: 'meter_changed' } as const
  const priced = repriceQuote({ ...selected, priceWarnings: addWarnings(selected.priceWarnings, warnings) }, pricing)
  return saveQuote(tx, caller, quote, { ...priced, pricesUpdated: false })
}

function isPricedOtherwise(before: MeterFacts | null, after: MeterFacts | null): boolean {
  return (['registers', 'heating'] as const).some(
    (fact) => (before?.[fact] ?? 'unknown') !== (after?.[fact] ?? 'unknown'),
  )
}
