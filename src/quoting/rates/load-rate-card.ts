import type { Queryable } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { listRateCardLives } from './life/rate-card-life.store.ts'
import { type RateCardLife, type RateCardState, stateOf } from './life/rate-card-life.ts'
import type { RateCard } from './rate-card.ts'
import { findRateCard } from './rate-cards.store.ts'

/** The figures of a card, whatever its state. Throws `not_found`. */
export async function loadRateCard({ db }: { db: Queryable }, quotingToolVersionId: string): Promise<RateCard> {
  const card = await findRateCard(db, quotingToolVersionId)
  if (card === undefined) throw unknownRateCard(quotingToolVersionId)
  return card
}

/** The error for an id that no rate card has. */
export function unknownRateCard(quotingToolVersionId: string): DomainError {
  return new DomainError(
    'not_found',
    `There is no rate card ${quotingToolVersionId}. "housebill rates list" and GET /operator-api/RateCards list them all.`,
  )
}

interface ListedRateCard extends RateCardLife {
  state: RateCardState
  /**
   * Whether quotes created today use the card by default. True for the card on sale to every partner that was published
   * last.
   */
  isDefault: boolean
}

/** `housebill rates list`: lists every card, latest published first. */
export async function listRateCards({ db, clock }: { db: Queryable; clock: Clock }): Promise<ListedRateCard[]> {
  const today = londonDate(clock.now())
  const cards = (await listRateCardLives(db)).map((card) => ({ ...card, state: stateOf(card, today) }))
  const defaultCard = cards.find(({ state, partnerIds }) => state === 'on_sale' && partnerIds === null)
  return cards.map((card) => ({ ...card, isDefault: card === defaultCard }))
}
