import { createHash } from 'node:crypto'
import { type Database, inTransaction } from '../../db/database.ts'
import { findRateCardLife, insertRateCardChange } from './life/rate-card-life.store.ts'
import type { RateCardLife } from './life/rate-card-life.ts'
import type { RateCard } from './rate-card.ts'
import { type RateCardProblem, rateCardProblems } from './rate-card-rules.ts'
import { insertRateCard } from './rate-cards.store.ts'

export type PublicationOutcome =
  | { outcome: 'published' | 'drafted'; quotingToolVersionId: string }
  /** If the same card had already been published, or drafted, under this id. */
  | { outcome: 'already-published' | 'already-drafted'; quotingToolVersionId: string }
  | { outcome: 'refused'; problems: RateCardProblem[] }

/**
 * `housebill rates publish`: publishes a card as a quoting tool version, by the operator's own hand (`by` is who). Publishing the same card
 * again changes nothing. A published version never changes, so different figures under the same id are rejected.
 */
export function publishRateCard({ db }: { db: Database }, card: RateCard, by: string): Promise<PublicationOutcome> {
  return store(db, card, { by, change: 'published' })
}

/**
 * `housebill rates draft` and POST /operator-api/RateCards: stores a card that nobody can choose until somebody else approves it. Drafting the same card again
 * changes nothing.
 */
export function draftRateCard({ db }: { db: Database }, card: RateCard, by: string): Promise<PublicationOutcome> {
  return store(db, card, { by, change: 'drafted' })
}

async function store(
  db: Database,
  card: RateCard,
  { by, change }: { by: string; change: 'published' | 'drafted' },
): Promise<PublicationOutcome> {
  const problems = rateCardProblems(card)
  if (problems.length > 0) return { outcome: 'refused', problems }
  const sha256 = cardSha256(card)
  return inTransaction(db, {}, async (tx) => {
    if (await insertRateCard(tx, card, { cardSha256: sha256, isDraft: change === 'drafted' })) {
      await insertRateCardChange(tx, card.id, { change, by })
      return { outcome: change, quotingToolVersionId: card.id }
    }
    const present = await findRateCardLife(tx, card.id)
    const problem = present === undefined ? 'has just been discarded. Try again.' : obstacle(present, sha256, change)
    if (problem === undefined)
      return { outcome: change === 'drafted' ? 'already-drafted' : 'already-published', quotingToolVersionId: card.id }
    return { outcome: 'refused', problems: [{ pointer: '/id', detail: `${card.id} ${problem}` }] }
  })
}

/** Why a card with these figures cannot be stored under the id of `present`; undefined if it is that card, and as it is to be. */
function obstacle(
  { sha256, publishedAt, withdrawnAt }: RateCardLife,
  cardSha256: string,
  change: 'published' | 'drafted',
): string | undefined {
  if (publishedAt === null && change === 'drafted' && sha256 === cardSha256) return undefined
  if (publishedAt === null)
    return 'is a draft. Approve the draft, or withdraw it before you publish another card under its id.'
  if (withdrawnAt !== null) return 'is withdrawn for ever: choose a new id.'
  if (change === 'drafted') return 'is already published.'
  if (sha256 === cardSha256) return undefined
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
