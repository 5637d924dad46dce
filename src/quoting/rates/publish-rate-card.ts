import { createHash } from 'node:crypto'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { findRateCardLife, insertRateCardChange, lockRateCardLives } from './life/rate-card-life.store.ts'
import type { RateCardLife } from './life/rate-card-life.ts'
import type { RateCard } from './rate-card.ts'
import { type RateCardProblem, rateCardProblems } from './rate-card-rules.ts'
import { insertRateCard } from './rate-cards.store.ts'

export type PublicationOutcome =
  /** `already-published`: the same card had been published under this id. */
  | { outcome: 'published' | 'already-published'; quotingToolVersionId: string }
  | { outcome: 'rejected'; problems: RateCardProblem[] }

/**
 * `housebill rates publish` and POST /operator-api/RateCards: publishes a card as a quoting tool version. `by` is who:
 * an operator's client id or login name. Publishing the same card again changes nothing. A published version never
 * changes, so different figures under the same id are rejected. `check` throws if the decision no longer stands: while it
 * reads and until the card is published, no other card changes.
 */
export async function publishRateCard(
  { db }: { db: Database },
  card: RateCard,
  by: string,
  check?: (tx: Tx) => Promise<void>,
): Promise<PublicationOutcome> {
  const problems = rateCardProblems(card)
  if (problems.length > 0) return { outcome: 'rejected', problems }
  const sha256 = cardSha256(card)
  return inTransaction(db, {}, async (tx) => {
    if (check !== undefined) {
      await lockRateCardLives(tx)
      await check(tx)
    }
    if (await insertRateCard(tx, card, sha256)) {
      await insertRateCardChange(tx, card.id, { change: 'published', by })
      return { outcome: 'published', quotingToolVersionId: card.id }
    }
    const problem = obstacle(await findRateCardLife(tx, card.id), sha256)
    if (problem === undefined) return { outcome: 'already-published', quotingToolVersionId: card.id }
    return { outcome: 'rejected', problems: [{ pointer: '/id', detail: `${card.id} ${problem}` }] }
  })
}

/** Why a card with these figures cannot be published under the id of `present`; undefined if it is that card. */
function obstacle(present: RateCardLife | undefined, sha256: string): string | undefined {
  if (present === undefined) throw new Error('a rate card is gone')
  if (present.withdrawnAt !== null) return 'is withdrawn for ever: choose a new id.'
  if (present.sha256 === sha256) return undefined
  return 'is already published with different figures. A published version never changes: choose a new id.'
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
