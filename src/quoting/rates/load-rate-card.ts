import type { Database } from '../../platform/db/database.ts'
import type { RateCard } from './rate-card.ts'
import { findRateCard } from './rate-cards.store.ts'
import { unknownRateCard } from './unknown-rate-card.ts'

/** The figures of a card, whatever its state. Throws `not_found`. */
export async function loadRateCard({ db }: { db: Database }, quotingToolVersionId: string): Promise<RateCard> {
  const card = await findRateCard(db, quotingToolVersionId)
  if (card === undefined) throw unknownRateCard(quotingToolVersionId)
  return card
}
