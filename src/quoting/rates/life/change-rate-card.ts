import { type Database, inTransaction, type Tx } from '../../../platform/db/database.ts'
import { type IsoDate, laterOf } from '../../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../../platform/kernel/errors.ts'
import { unknownRateCard } from '../load-rate-card.ts'
import {
  findRateCardLife,
  insertRateCardChange,
  lockRateCardLife,
  lockRateCardLives,
  markRateCardWithdrawn,
  markSigningStopped,
  replaceCardPartners,
  updateSaleDays,
} from './rate-card-life.store.ts'
import type { RateCardChange, RateCardLife } from './rate-card-life.ts'

/** The card to change, and who changes it: an operator's client id or login name. */
export interface RateCardTarget {
  quotingToolVersionId: string
  by: string
}

/**
 * Sets the first and the last day of sale, both still ahead; null for no limit. Throws `not_found`,
 * `validation_failed`, and
 * `rate_card_change_not_allowed` for a withdrawn card and for a first day that has begun.
 */
export function scheduleRateCard(
  { db }: { db: Database },
  { from, to, today, ...target }: RateCardTarget & { from: IsoDate | null; to: IsoDate | null; today: IsoDate },
): Promise<RateCardLife> {
  return change(db, target, async (tx, card) => {
    const { quotingToolVersionId, onSaleFrom, onSaleTo } = card
    if (from === onSaleFrom && to === onSaleTo) return undefined
    requireNotWithdrawn(card)
    const hasBegun = onSaleFrom === null || onSaleFrom <= today
    if (hasBegun && from !== onSaleFrom)
      throw notAllowed(
        `The card has been on sale since ${onSaleFrom ?? 'it was published'}, so its first day cannot change. Leave it as it is, or withdraw the card.`,
      )
    if (!hasBegun && from !== null && from < today) throw invalid('/onSaleFrom', `Must not be before today (${today}).`)
    const earliest = laterOf(from ?? today, today)
    if (to !== null && to < earliest) throw invalid('/onSaleTo', `Must not be before ${earliest}.`)
    await updateSaleDays(tx, quotingToolVersionId, { from, to })
    return 'scheduled'
  })
}

/**
 * Lets only these partners see and choose the card; null for every partner. Quotes of others keep their price until
 * they expire. Throws `not_found`,
 * `validation_failed` for an unknown partner, and `rate_card_change_not_allowed` for a withdrawn card.
 */
export function restrictRateCard(
  { db }: { db: Database },
  { partnerIds, ...target }: RateCardTarget & { partnerIds: readonly string[] | null },
): Promise<RateCardLife> {
  return change(db, target, async (tx, card) => {
    requireNotWithdrawn(card)
    const before = card.partnerIds?.join()
    if (before === (partnerIds === null ? undefined : [...new Set(partnerIds)].sort().join())) return undefined
    if (!(await replaceCardPartners(tx, card.quotingToolVersionId, partnerIds)))
      throw invalid(
        '/partnerIds',
        'One of these partners does not exist. "housebill call listPartners" shows their ids.',
      )
    return 'restricted'
  })
}

/**
 * Takes a card off sale for ever: from now on, no quote can choose it and it is not the default. Quotes priced on it
 * keep their price until they expire, and are then repriced on the default of that day. With `stopSigning`, also of a
 * card that was withdrawn before, the job `stop-signing` prices anew every household in which nobody has signed.
 * Repeating it changes nothing. `check` throws if the decision no longer stands: no card changes meanwhile. Throws
 * `not_found`.
 */
export function withdrawRateCard(
  { db }: { db: Database },
  {
    stopSigning = false,
    check,
    ...target
  }: RateCardTarget & { stopSigning?: boolean; check?: (tx: Tx) => Promise<void> },
): Promise<RateCardLife> {
  const withdraw = (tx: Tx) =>
    changeIn(tx, target, async ({ quotingToolVersionId, withdrawnAt }) => {
      if (withdrawnAt !== null) return undefined
      await markRateCardWithdrawn(tx, quotingToolVersionId)
      return 'withdrawn'
    })
  const stop = (tx: Tx) =>
    changeIn(tx, target, async ({ quotingToolVersionId, signingStoppedAt }) => {
      if (signingStoppedAt !== null) return undefined
      await markSigningStopped(tx, quotingToolVersionId)
      return 'signing_stopped'
    })
  return inTransaction(db, {}, async (tx) => {
    if (check !== undefined) {
      await lockRateCardLives(tx)
      await check(tx)
    }
    const card = await withdraw(tx)
    return stopSigning ? stop(tx) : card
  })
}

/**
 * Locks the card, makes the change, records who made it, and returns the card as it is then. `make` returns what it
 * did, or undefined if there was nothing to do.
 */
function change(
  db: Database,
  target: RateCardTarget,
  make: (tx: Tx, card: RateCardLife) => Promise<RateCardChange['change'] | undefined>,
): Promise<RateCardLife> {
  return inTransaction(db, {}, (tx) => changeIn(tx, target, (card) => make(tx, card)))
}

async function changeIn(
  tx: Tx,
  { quotingToolVersionId, by }: RateCardTarget,
  make: (card: RateCardLife) => Promise<RateCardChange['change'] | undefined>,
): Promise<RateCardLife> {
  const card = await lockRateCardLife(tx, quotingToolVersionId)
  if (card === undefined) throw unknownRateCard(quotingToolVersionId)
  const made = await make(card)
  if (made === undefined) return card
  await insertRateCardChange(tx, quotingToolVersionId, { change: made, by })
  const changed = await findRateCardLife(tx, quotingToolVersionId)
  if (changed === undefined) throw new Error('a rate card is gone')
  return changed
}

function requireNotWithdrawn({ withdrawnAt }: RateCardLife): void {
  if (withdrawnAt !== null) throw notAllowed('The card is withdrawn, which is final. Publish another card.')
}

function notAllowed(detail: string): DomainError {
  return new DomainError('rate_card_change_not_allowed', detail)
}

function invalid(pointer: string, detail: string): DomainError {
  return invalidFields([{ pointer, code: 'not_allowed', detail }])
}
