import { countInWords } from '../../platform/kernel/in-words.ts'
import { maxFailingDays } from '../webhook-errors.ts'

const maxFailingMs = maxFailingDays * 86_400_000

/** A webhook's current streak of failed attempts. Both times are null if the latest attempt succeeded. */
export interface FailureStreak {
  failingSince: Date | null
  lastFailedAt: Date | null
}

/**
 * Extends a streak of failures by one more failed attempt, or starts a new one if there was no attempt for five days:
 * two single failures months apart must not disable the webhook.
 */
export function streakAfterFailure(streak: FailureStreak, now: Date): { failingSince: Date; lastFailedAt: Date } {
  const { failingSince, lastFailedAt } = streak
  const goesOn =
    failingSince !== null && lastFailedAt !== null && now.getTime() - lastFailedAt.getTime() <= maxFailingMs
  return { failingSince: goesOn ? failingSince : now, lastFailedAt: now }
}

/** Whether every attempt has failed for so long that the webhook must be disabled. */
export function hasFailedTooLong(streak: { failingSince: Date; lastFailedAt: Date }): boolean {
  return streak.lastFailedAt.getTime() - streak.failingSince.getTime() >= maxFailingMs
}

export const disabledReasons = {
  gone: 'The receiver responded with 410 Gone.',
  failing: `Every delivery failed for ${countInWords(maxFailingDays)} days.`,
  byPartner: 'You disabled it.',
} as const
