import { countHouseholdsOnCard, listSignedOnCard } from '../../contracts/locks/locks.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { formatPounds, type Pence, pence } from '../../platform/kernel/money.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { QuotePolicy } from '../../quoting/quotes/quote-policy.ts'
import { priceFor } from '../../quoting/quotes/reprice.ts'
import { carryOverPackages } from '../../quoting/quotes/select-packages.ts'
import { offeredPackages, type RateCardCatalogue } from '../../quoting/rates/card-catalogue.ts'
import type { RateCardLife } from '../../quoting/rates/life/rate-card-life.ts'
import { listRateCards, unknownRateCard } from '../../quoting/rates/load-rate-card.ts'

export interface WithdrawalDependencies {
  db: Queryable
  clock: Clock
  cards: RateCardCatalogue
  quotePolicy: Pick<QuotePolicy, 'billingDay'>
}

/** What a card prices when it is withdrawn. */
export interface WithdrawalEffect {
  /** The default of every partner once the card is withdrawn; null if nothing can be priced then. */
  defaultId: string | null
  /** How many open quotes, and active ones that nobody has signed, can still be agreed to at its prices. */
  open: number
  active: number
  /** In how many households somebody has signed: these keep their price. */
  signed: number
  /**
   * By how many pence their contracts would cost more on that default, all together; null without one, and for more
   * than `maxCompared` households.
   */
  difference: number | null
}

/** A household in which somebody has signed on a card, with what it would cost on the default of today. */
export interface SignedHousehold {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  stage: Quote['stage']
  /** What was agreed for the whole contract, in pence. */
  totalCost: Pence
  /** The same on the default; null without one, or if it has none of the packages. */
  totalCostOnDefault: Pence | null
  /** How many pence more that is. */
  difference: number | null
}

const maxCompared = 200

/**
 * What withdrawing a card means at this moment: the dry run of `rates withdraw`, POST /operator-api/RateCards/{id}/withdraw
 * and the desk. Throws `not_found`.
 */
export async function effectOfWithdrawal(
  deps: WithdrawalDependencies,
  quotingToolVersionId: string,
): Promise<{ card: RateCardLife; effect: WithdrawalEffect }> {
  const { card, defaultId } = await cardAndDefault(deps, quotingToolVersionId)
  const counts = await countHouseholdsOnCard(deps.db, { quotingToolVersionId, now: deps.clock.now() })
  const of = { quotingToolVersionId, defaultId, after: undefined, limit: maxCompared }
  const compared = counts.signed > maxCompared || defaultId === null ? undefined : await compare(deps, of)
  const difference = compared?.reduce((sum, household) => sum + (household.difference ?? 0), 0) ?? null
  return { card, effect: { defaultId, ...counts, difference } }
}

/**
 * The card, and the one that is the default without it: on sale to every partner, published last. Throws `not_found`.
 */
export async function cardAndDefault(
  deps: Pick<WithdrawalDependencies, 'clock' | 'db'>,
  quotingToolVersionId: string,
): Promise<{ card: RateCardLife; defaultId: string | null }> {
  const listed = await listRateCards(deps)
  const card = listed.find((each) => each.quotingToolVersionId === quotingToolVersionId)
  if (card === undefined) throw unknownRateCard(quotingToolVersionId)
  const follows = listed.find((each) => each !== card && each.state === 'on_sale' && each.partnerIds === null)
  return { card, defaultId: follows?.quotingToolVersionId ?? null }
}

/**
 * GET /operator-api/RateCards/{id}/households: a page of the households in which somebody has signed on a card, each
 * compared with the default of today without that card. Throws `not_found`.
 */
export async function listSignedHouseholds(
  deps: WithdrawalDependencies,
  {
    quotingToolVersionId,
    after,
    limit,
  }: { quotingToolVersionId: string; after: Id<'quote'> | undefined; limit: number },
): Promise<{ households: SignedHousehold[]; defaultId: string | null; hasMore: boolean }> {
  const { defaultId } = await cardAndDefault(deps, quotingToolVersionId)
  const households = await compare(deps, { quotingToolVersionId, defaultId, after, limit: limit + 1 })
  return { households: households.slice(0, limit), defaultId, hasMore: households.length > limit }
}

/** Each household's own days, packages and products on both cards. */
async function compare(
  { db, clock, cards, quotePolicy: { billingDay } }: WithdrawalDependencies,
  { defaultId, ...of }: Omit<Parameters<typeof listSignedOnCard>[1], 'now'> & { defaultId: string | null },
): Promise<SignedHousehold[]> {
  const now = clock.now()
  const agreedOn = await cards.load(db, of.quotingToolVersionId)
  const card = defaultId === null ? undefined : await cards.load(db, defaultId)
  return (await listSignedOnCard(db, { ...of, now })).flatMap((quote) => {
    const { partnerId, quoteId, stage, price, selectedPackageIds } = quote
    if (price === null) return []
    let onDefault: Quote['price'] = null
    if (card !== undefined) {
      const offers = [offeredPackages(agreedOn, quote), offeredPackages(card, quote)] as const
      const { packageIds } = carryOverPackages(...offers, selectedPackageIds)
      const tenantIds = price.shares.map(({ tenantId }) => tenantId)
      onDefault = priceFor({ ...quote, selectedPackageIds: packageIds }, { card, billingDay, tenantIds })
    }
    const totalCostOnDefault = onDefault?.totalCost ?? null
    const difference = totalCostOnDefault === null ? null : totalCostOnDefault - price.totalCost
    return [{ partnerId, quoteId, stage, totalCost: price.totalCost, totalCostOnDefault, difference }]
  })
}

/** What a withdrawal means, for people: rows of a term and its value. */
export function withdrawalInWords({
  defaultId,
  open,
  active,
  signed,
  difference,
}: WithdrawalEffect): [string, string][] {
  const more =
    difference === null
      ? ''
      : `, ${formatPounds(pence(Math.abs(difference)))} ${difference < 0 ? 'less' : 'more'} there`
  return [
    ['Default afterwards', defaultId ?? 'none: nothing can be priced until you publish a card'],
    ['Open quotes on offer', String(open)],
    ['Active quotes nobody signed', String(active)],
    ['Households that signed', signed === 0 ? '0' : `${signed}, which keep their price${more}`],
  ]
}
