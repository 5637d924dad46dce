import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { RateCard } from './rate-card.ts'
import { type RateCardProblem, rateCardProblems } from './rate-card-rules.ts'
import { findRateCard, insertRateCard } from './rate-cards.store.ts'

export type PublicationOutcome =
  | { outcome: 'published'; quotingToolVersionId: string }
  /** If the same card had already been published under this id. */
  | { outcome: 'already-published'; quotingToolVersionId: string }
  | { outcome: 'refused'; problems: RateCardProblem[] }

/**
 * `housebill rates publish`: publishes a card as a quoting tool version. Publishing the same card again changes nothing. A
 * published version never changes, so different figures under the same id are rejected.
 */
export async function publishRateCard({ db }: { db: Database }, card: RateCard): Promise<PublicationOutcome> {
  const problems = rateCardProblems(card)
  if (problems.length > 0) return { outcome: 'refused', problems }
  const sha256 = cardSha256(card)
  if (await insertRateCard(db, card, sha256)) return { outcome: 'published', quotingToolVersionId: card.id }
  const present = await findRateCard(db, card.id)
  if (present?.cardSha256 === sha256) return { outcome: 'already-published', quotingToolVersionId: card.id }
  return {
    outcome: 'refused',
    problems: [
      {
        pointer: '/id',
        detail: `${card.id} is already published with different figures. A published version never changes: choose a new id.`,
      },
    ],
  }
}

/** The SHA-256 of the card with its members sorted, so that layout and member order make no difference. */
function cardSha256(card: RateCard): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(card)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
