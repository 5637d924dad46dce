import { type Database, inTransaction } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Caller } from '../auth/caller.ts'
import type { PartnerDirectory } from '../auth/partner-directory.ts'
import { advanceClockOffset } from '../auth/partners.store.ts'

/** How far ahead a sandbox clock may be. Rate cards do not cover a longer period. */
export const maxAdvanceYears = 10
export const maxAdvanceSeconds = maxAdvanceYears * 365.25 * 86_400

/**
 * POST /Sandbox/clock/advance: moves the partner's clock forward. Throws `validation_failed` if the clock would then be over ten
 * years ahead.
 */
export async function advanceClock(
  { db, partners, clock }: { db: Database; partners: PartnerDirectory; clock: Clock },
  caller: Caller,
  seconds: number,
): Promise<{ now: Date; offsetSeconds: number }> {
  const offsetSeconds = await inTransaction(db, caller, async (tx) => {
    const offset = await advanceClockOffset(tx, caller.partnerId, seconds, maxAdvanceSeconds)
    if (offset !== undefined) return { now: new Date(clock.now().getTime() + offset * 1000), offsetSeconds: offset }
    throw new DomainError(
      'validation_failed',
      `The sandbox clock can move forward by up to ${maxAdvanceYears} years in total. Use fewer seconds, or use another partner.`,
      {
        fields: [
          {
            pointer: '/seconds',
            code: 'out_of_range',
            detail: `Would move the clock more than ${maxAdvanceYears} years in total.`,
          },
        ],
      },
    )
  })
  partners.forget(caller.partnerId)
  return offsetSeconds
}
