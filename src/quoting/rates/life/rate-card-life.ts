import type { IsoDate } from '../../../platform/kernel/dates.ts'
import type { PublishedRateCard } from '../rate-cards.store.ts'

export const rateCardChanges = ['published', 'scheduled', 'restricted', 'withdrawn', 'signing_stopped'] as const

/** What happened to a card, and who did it: the client id of an operator's program, or the operator's login name. */
export interface RateCardChange {
  change: (typeof rateCardChanges)[number]
  by: string
  at: Date
}

/** Everything about a card but its figures. */
export interface RateCardLife extends PublishedRateCard {
  /** The SHA-256 of the figures. */
  sha256: string
  publishedAt: Date
  withdrawnAt: Date | null
  /** When it was said that nobody is to sign on it any more; null if it was not. */
  signingStoppedAt: Date | null
  /** The partners who may choose it; null if it is for every partner. */
  partnerIds: string[] | null
  /** Oldest first. Empty for a card that was published before Housebill recorded changes. */
  changes: RateCardChange[]
}

/** The days of sale decide whether a card is `scheduled`, `on_sale` or `ended`. A `withdrawn` card stays so. */
export const rateCardStates = ['scheduled', 'on_sale', 'ended', 'withdrawn'] as const
export type RateCardState = (typeof rateCardStates)[number]

/** The state of a card on a day. Partners may choose the card if, and only if, it is `on_sale`. */
export function stateOf(card: RateCardLife, today: IsoDate): RateCardState {
  if (card.withdrawnAt !== null) return 'withdrawn'
  if (card.onSaleFrom !== null && card.onSaleFrom > today) return 'scheduled'
  return card.onSaleTo !== null && card.onSaleTo < today ? 'ended' : 'on_sale'
}

/** The days on which a card may be sold, such as `from 2027-01-01 to 2027-03-31`. */
export function saleInWords(from: string | null, to: string | null): string {
  if (from === null && to === null) return 'always'
  return [from === null ? '' : `from ${from}`, to === null ? '' : `to ${to}`].filter((part) => part !== '').join(' ')
}
