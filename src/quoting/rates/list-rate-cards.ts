import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { listRateCardLives } from './life/rate-card-life.store.ts'
import { type RateCardLife, type RateCardState, stateOf } from './life/rate-card-life.ts'

export interface ListedRateCard extends RateCardLife {
  state: RateCardState
  /**
   * Whether quotes created today use the card by default. True for the card on sale to every partner that was published
   * last.
   */
  isDefault: boolean
}

/** `housebill rates list`: lists every card, latest published first. */
export async function listRateCards({ db, clock }: { db: Database; clock: Clock }): Promise<ListedRateCard[]> {
  const today = londonDate(clock.now())
  const cards = (await listRateCardLives(db)).map((card) => ({ ...card, state: stateOf(card, today) }))
  const defaultCard = cards.find(({ state, partnerIds }) => state === 'on_sale' && partnerIds === null)
  return cards.map((card) => ({ ...card, isDefault: card === defaultCard }))
}
