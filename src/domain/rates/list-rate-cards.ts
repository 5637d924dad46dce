import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { londonDate } from '../../kernel/dates.ts'
import { listPublishedRateCards, type PublishedRateCard } from './rate-cards.store.ts'

export interface ListedRateCard extends PublishedRateCard {
  /** Whether the card is on sale today. */
  isOnSale: boolean
  /** Whether quotes created today use the card by default. True for the card on sale that was published last. */
  isDefault: boolean
}

/** `housebill rates list`: lists every published card, latest first. */
export async function listRateCards({ db, clock }: { db: Database; clock: Clock }): Promise<ListedRateCard[]> {
  const today = londonDate(clock.now())
  const isOnSale = ({ onSaleFrom, onSaleTo }: PublishedRateCard) =>
    (onSaleFrom === null || onSaleFrom <= today) && (onSaleTo === null || onSaleTo >= today)
  const cards = await listPublishedRateCards(db)
  const defaultCard = cards.find(isOnSale)
  return cards.map((card) => ({ ...card, isOnSale: isOnSale(card), isDefault: card === defaultCard }))
}
