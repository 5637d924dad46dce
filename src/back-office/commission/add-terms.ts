import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import { earnedOn } from './commission-entry.ts'
import { monthOf } from './commission-month.ts'
import { findEarningWithin, findLastClosed, insertTerms, listTerms, lockCommission } from './commission-terms.store.ts'
import { type CommissionTerms, type CommissionTier, termsOn, tierProblem } from './commission-terms.ts'

/**
 * POST /operator-api/Partners/{partnerId}/commission-terms. The terms apply to
 * contracts that take effect on `firstDay` or later, until the next terms begin. Adding the terms that apply from that
 * day already changes nothing. Throws `validation_failed` for tiers that break a rule, and
 * `commission_terms_not_allowed` if the terms could change a closed month or a contract that has earned.
 */
export async function addCommissionTerms(
  { db }: { db: Database },
  caller: Pick<Caller, 'partnerId' | 'now' | 'responseRecorder'>,
  { firstDay, tiers }: { firstDay: IsoDate; tiers: readonly CommissionTier[] },
): Promise<CommissionTerms> {
  requireValid(tiers)
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    await lockCommission(tx, partnerId)
    const all = await listTerms(tx, partnerId)
    const present = termsOn(all, firstDay)
    if (present?.firstDay === firstDay && JSON.stringify(normal(present.tiers)) === JSON.stringify(normal(tiers)))
      return present
    const closed = await findLastClosed(tx, partnerId)
    const firstEarning = earnedOn(firstDay)
    if (closed !== null && monthOf(firstEarning) <= closed)
      throw notAllowed(
        `A contract that took effect on ${firstDay} earned on ${firstEarning}, and ${closed} is closed. Choose a later first day.`,
      )
    const to = all.find((each) => each.firstDay > firstDay)?.firstDay ?? null
    const earned = await findEarningWithin(tx, partnerId, { from: firstDay, to })
    if (earned !== null)
      throw notAllowed(
        `A contract that these terms would apply to has earned on ${earned} under the present terms. Choose a later first day.`,
      )
    const terms = { firstDay, tiers: normal(tiers), recordedAt: now }
    return { ...terms, termNumber: await insertTerms(tx, partnerId, terms) }
  })
}

/** The tiers with their members in the order in which they are stored. */
function normal(tiers: readonly CommissionTier[]): CommissionTier[] {
  return tiers.map(({ upTo, basisPoints, amount }) => ({ upTo, basisPoints, amount }))
}

function requireValid(tiers: readonly CommissionTier[]): void {
  const problem = tierProblem(tiers)
  if (problem === undefined) return
  const { index, detail } = problem
  throw invalidFields([{ pointer: `/tiers/${index}`, code: 'not_allowed', detail }])
}

function notAllowed(detail: string): DomainError {
  return new DomainError('commission_terms_not_allowed', detail)
}
